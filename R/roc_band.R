#' Pointwise band of a ROC curve
#'
#' The sensitivity at given specificities, or the specificity at given
#' sensitivities, each with an interval: a band around the curve.
#'
#' Between two thresholds the curve is interpolated linearly, and where several
#' thresholds share the given value the greatest of theirs is taken, as
#' [pROC::coords()], [pROC::ci.se()] and [pROC::ci.sp()] do. The estimate is that
#' of the curve itself, not the median of the samples.
#'
#' The intervals are percentiles of bootstrap samples stratified by class. They
#' hold **pointwise**: each one alone contains the true value at the stated
#' level, while the true curve leaves the band somewhere more often than that.
#' Far out they are too short: in simulations 95 % intervals contained the true
#' sensitivity in 93 % of the tables with five negatives beyond the specificity,
#' 88 % with two and 72 % with one; `reason` says so. At the end of the curve where the fixed value
#' is 0, the other is 1 in every sample: it has no interval.
#'
#' @section When undefined:
#' With one class only in the truth there is no curve. There is no interval
#' where every sample, or nearly every (so that the percentiles coincide), gives
#' the same number, and none at all where a class has
#' one row only. `reason` says which it is.
#'
#' @inheritParams confusion
#' @param of What the band is one of, at fixed values of the other:
#'   `"sensitivity"` or `"specificity"`.
#' @param at Numbers between 0 and 1: the fixed values. They are sorted, and each
#'   is taken once.
#' @inheritParams auc_ci
#' @return An object of class `rside_roc_band`, a list with
#'   * `values`: a data frame whose first column is the fixed value,
#'     `specificity` (or `sensitivity`), followed by `metric` (the value of
#'     `of`), `estimator`, `class`, `estimate`, `std_error`, `lower`, `upper`,
#'     `method`, `reason`;
#'   * `of`;
#'   * `curve`: `sensitivity` and `specificity` at every threshold, the greatest
#'     first;
#'   * `counts`: the rows of the negative and the positive class, by name;
#'   * `positive`, `conf_level`, `replicates`, `seed`.
#'
#'   `as.data.frame()` gives the values.
#' @inheritSection as_predictions Errors
#' @inheritSection confusion Case weights
#' @references
#' Robin et al. (2011) \doi{10.1186/1471-2105-12-77}; Efron (1979)
#' \doi{10.1214/aos/1176344552} for the bootstrap.
#' @seealso [roc_curve()] for the curve and its AUC.
#' @examples
#' path <- system.file("extdata", "preds.csv", package = "rside")
#' band <- roc_band(path, at = c(0.8, 0.9, 0.95), replicates = 200)
#' band
#' autoplot(roc_band(path, replicates = 200))
#' @export
roc_band <- function(predictions, positive = NULL, of = c("sensitivity", "specificity"),
                     at = seq(0, 1, by = 0.05), conf_level = 0.95, replicates = 2000, seed = 1) {
  of <- one_of(of, c("sensitivity", "specificity"), "of")
  check_fixed_values(at)
  check_conf_level(conf_level)
  check_bootstrap(replicates, seed)
  predictions <- predictions_of(predictions, positive)
  known <- facts(predictions)
  check_two_classes(known$classes)
  classes <- two_classes(predictions)
  weights <- weights_of(predictions)
  at <- sort(unique(as.numeric(at)))
  structure(
    list(
      values = band_values(classes, weights, of, at, conf_level, replicates, seed), of = of,
      curve = roc_frame(classes, weights), counts = class_sizes(classes),
      positive = known$positive, conf_level = conf_level, replicates = replicates, seed = seed
    ),
    class = c("rside_roc_band", "rside_result")
  )
}

check_fixed_values <- function(at) {
  if (!is.numeric(at) || length(at) == 0 || anyNA(at) || any(at < 0 | at > 1)) {
    refuse_argument("`at` must be numbers between 0 and 1.")
  }
}

band_values <- function(classes, weights, of, at, conf_level, replicates, seed) {
  absent <- no_curve(classes)
  opinions <- if (is.na(absent)) {
    heights <- function(calls) {
      stats::setNames(curve_heights(roc_points(calls), of, at), rep(of, length(at)))
    }
    rows <- curve_opinions(heights, classes, weights, conf_level, replicates, seed)
    rows$reason <- ifelse(is.na(rows$lower), rows$reason, few_beyond(classes, weights, of, at))
    rows
  } else {
    opinion(of, "binary", rep(NA_real_, length(at)), reason = absent)
  }
  fixed <- stats::setNames(data.frame(at), fixed_of(of))
  cbind(fixed, opinions)
}

# Of the class whose share is fixed, beyond the fixed value. The figures are those of simulations
# with two examples beyond, and with one.
few_beyond <- function(classes, weights, of, at) {
  group <- if (of == "sensitivity") 1 else 2
  beyond <- effective_rows(weights[classes$is_positive == (group == 2)]) * (1 - at)
  ifelse(
    beyond >= 3.5, NA_character_,
    sprintf(
      "short: about %.2g of class '%s' beyond; with %s were found to cover",
      beyond, classes$groups[[group]], ifelse(beyond < 1.5, "one, 72%", "two, 88%")
    )
  )
}

fixed_of <- function(of) setdiff(c("specificity", "sensitivity"), of)

curve_heights <- function(points, of, at) {
  if (of == "sensitivity") {
    height_at(1 - points$specificity, points$sensitivity, 1 - at)
  } else {
    height_at(rev(1 - points$sensitivity), rev(points$specificity), 1 - at)
  }
}

# On the lines between points, both of whose coordinates increase; where several have the same `x`,
# the last and highest counts. A share such as 0.15 is met by 3 / 20 and its like up to rounding.
height_at <- function(x, y, at) {
  left <- findInterval(at + 1e-9, x)
  right <- pmin(left + 1, length(x))
  gap <- x[right] - x[left]
  share <- ifelse(gap > 0, pmax(at - x[left], 0) / gap, 0)
  y[left] + share * (y[right] - y[left])
}

#' @export
as.data.frame.rside_roc_band <- function(x, ...) x$values

#' @rdname results
#' @export
tidy.rside_roc_band <- function(x, ...) tidy_opinions(x$values)

#' @rdname results
#' @export
glance.rside_roc_band <- function(x, ...) {
  data.frame(
    n = sum(x$counts), positives = x$counts[[x$positive]], positive = x$positive, of = x$of,
    points = nrow(x$values), conf.level = x$conf_level
  )
}

#' @export
format.rside_roc_band <- function(x, ...) {
  values <- x$values
  fixed <- fixed_of(x$of)
  gap <- ifelse(is.na(values$lower), "  ", "\n    ")
  reason <- ifelse(is.na(values$reason), "", paste0(gap, values$reason))
  c(
    paste0("<ROC band: ", format_class_counts(x$counts), ">"),
    paste0("positive class: '", x$positive, "'"),
    paste0(
      x$of, " at a ", fixed, " of ..., pointwise ", format_percent(x$conf_level), " interval"
    ),
    unlist(strsplit(paste0(
      "  ", formatC(format_number(values[[fixed]]), width = -8), " ",
      format_estimate(values$estimate, values$lower, values$upper), reason
    ), "\n", fixed = TRUE))
  )
}
