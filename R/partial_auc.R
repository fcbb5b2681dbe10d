#' Partial area under the ROC curve
#'
#' The area under the part of a ROC curve that matters, where the specificity (or
#' the sensitivity) lies in a range: as it stands, and corrected by McClish so
#' that ranges compare. Each with an interval.
#'
#' `partial_auc` is the area between the ends of the range, joined to the curve
#' by linear interpolation. It cannot exceed the width of the range, and along
#' the diagonal, by guessing, it is what `bounds` calls `chance`.
#' `partial_auc_corrected` is
#' `(1 + (partial_auc - chance) / (maximum - chance)) / 2`: 0.5 for guessing and
#' 1 at most, whatever the range. Both are those of [pROC::auc()] with
#' `partial.auc`.
#'
#' The intervals are percentiles of bootstrap samples stratified by class. In a
#' sample that falls below the diagonal the formula of the correction is used
#' all the same, so that the low end of an interval is not cut off.
#'
#' They are too short where the range holds few rows of the class whose share it
#' is one of: in simulations with an AUC of 0.86, 95 % intervals for specificities
#' from 0.9 to 1 contained the true area in 94 % of the tables with 500
#' negatives, 50 of them in the range, in 90 % with 100, 85 % with 25 and 64 %
#' with 20 beside 180 positives. Below 20 rows in the range `reason` warns.
#'
#' @section When undefined:
#' With one class only in the truth there is no curve. The correction is
#' undefined where the area is less than that of chance. There is no interval
#' where every sample gives the same number, as with classes that do not overlap,
#' and none where a class has one row only. `reason` says which it is.
#'
#' @inheritParams confusion
#' @param range Two numbers between 0 and 1, in either order: the ends of the
#'   range.
#' @param focus What the range is one of: `"specificity"` or `"sensitivity"`.
#' @inheritParams auc_ci
#' @return An object of class `rside_partial_auc`, a list with
#'   * `values`: a data frame of `metric`, `estimator`, `class`, `estimate`,
#'     `std_error`, `lower`, `upper`, `method`, `reason`, with the rows
#'     `partial_auc`, between 0 and the width of the range, and
#'     `partial_auc_corrected`, in `[0.5, 1]`, though its interval may begin
#'     below;
#'   * `bounds`: what `partial_auc` can be: the `minimum` (0), `chance` (the area
#'     below the diagonal), the `maximum` (the width of the range);
#'   * `range`, in increasing order, and `focus`;
#'   * `curve`: `sensitivity` and `specificity` at every threshold, the greatest
#'     first;
#'   * `counts`: the rows of the negative and the positive class, by name;
#'   * `positive`, `conf_level`, `replicates`, `seed`;
#'   * `warning`: how often such intervals failed in simulated tables with as few
#'     rows of a class; empty where they did not.
#'
#'   `as.data.frame()` gives the values.
#' @inheritSection as_predictions Errors
#' @inheritSection confusion Case weights
#' @references
#' McClish (1989) \doi{10.1177/0272989X8900900307}; Robin et al. (2011)
#' \doi{10.1186/1471-2105-12-77}; Efron (1979) \doi{10.1214/aos/1176344552} for
#' the bootstrap.
#' @seealso [auc_ci()] for the whole area, [roc_band()] for the curve's height.
#' @examples
#' path <- system.file("extdata", "preds.csv", package = "rside")
#' partial_auc(path, replicates = 200)
#' partial_auc(path, range = c(0.8, 1), focus = "sensitivity", replicates = 200)
#' @export
partial_auc <- function(predictions, range = c(0.9, 1), focus = c("specificity", "sensitivity"),
                        positive = NULL, conf_level = 0.95, replicates = 2000, seed = 1) {
  check_range(range)
  focus <- one_of(focus, c("specificity", "sensitivity"), "focus")
  check_conf_level(conf_level)
  check_bootstrap(replicates, seed)
  predictions <- predictions_of(predictions, positive)
  known <- facts(predictions)
  check_two_classes(known$classes)
  of <- two_classes(predictions)
  weights <- weights_of(predictions)
  range <- sort(as.numeric(range))
  values <- partial_values(of, weights, range, focus, conf_level, replicates, seed)
  structure(
    list(
      values = values,
      bounds = partial_bounds(range), range = range, focus = focus,
      curve = roc_frame(of, weights), counts = class_sizes(of), positive = known$positive,
      conf_level = conf_level, replicates = replicates, seed = seed,
      warning = low_coverage(class_sizes(of), values, weighted = is_weighted(predictions))
    ),
    class = c("rside_partial_auc", "rside_result")
  )
}

check_range <- function(range) {
  ok <- is.numeric(range) && length(range) == 2 && !anyNA(range) && all(range >= 0 & range <= 1) &&
    range[[1]] != range[[2]]
  if (!ok) {
    refuse_argument(
      "`range` must be two different numbers between 0 and 1.",
      fix = "c(0.9, 1) is the range from 90 % to 100 %."
    )
  }
}

partial_values <- function(of, weights, range, focus, conf_level, replicates, seed) {
  absent <- no_curve(of)
  if (!is.na(absent)) {
    return(opinion(partial_areas, "binary", rep(NA_real_, 2), reason = absent))
  }
  bounds <- partial_bounds(range)
  areas <- function(calls) {
    area <- partial_area(roc_points(calls), range, focus)
    stats::setNames(c(area, mcclish(area, bounds)), partial_areas)
  }
  values <- curve_opinions(areas, of, weights, conf_level, replicates, seed)
  values$reason[!is.na(values$lower)] <- few_in_range(of, weights, range, focus)
  # Rounding may leave a curve on the diagonal a trace below it.
  if (values$estimate[[1]] < bounds[["chance"]] - 1e-12) {
    values[2, ] <- opinion(partial_areas[[2]], "binary", NA_real_, reason = below_diagonal)
  }
  values
}

# Of the class whose share the range is one of; by simulation too few for the bootstrap.
few_in_range <- function(of, weights, range, focus) {
  group <- if (focus == "specificity") 1 else 2
  rows <- effective_rows(weights[of$is_positive == (group == 2)]) * diff(range)
  if (rows >= 20) {
    return(NA_character_)
  }
  sprintf(
    "the interval may be too short: about %.2g examples of class '%s' in the range",
    rows, of$groups[[group]]
  )
}

partial_areas <- c("partial_auc", "partial_auc_corrected")

below_diagonal <- "the area is less than that of chance: McClish's correction is undefined"

partial_area <- function(points, range, focus) {
  if (focus == "specificity") {
    area_between(rev(points$specificity), rev(points$sensitivity), range)
  } else {
    area_between(points$sensitivity, points$specificity, range)
  }
}

# Below the lines between points, whose `x` increases, from the one end of the range to the other:
# of each line the width within the range, times its height in the middle of that.
area_between <- function(x, y, range) {
  within <- pmin(pmax(x, range[[1]]), range[[2]])
  width <- diff(within)
  line <- which(width > 0)
  middle <- (within[line] + within[line + 1]) / 2
  slope <- (y[line + 1] - y[line]) / (x[line + 1] - x[line])
  sum(width[line] * (y[line] + slope * (middle - x[line])))
}

# The diagonal is 1 - x high at a specificity, or a sensitivity, of x.
partial_bounds <- function(range) {
  width <- range[[2]] - range[[1]]
  c(minimum = 0, chance = width * (1 - mean(range)), maximum = width)
}

# McClish (1989)
mcclish <- function(area, bounds) {
  (1 + (area - bounds[["chance"]]) / (bounds[["maximum"]] - bounds[["chance"]])) / 2
}

#' @export
as.data.frame.rside_partial_auc <- function(x, ...) x$values

#' @rdname results
#' @export
tidy.rside_partial_auc <- function(x, ...) tidy_opinions(x$values)

#' @rdname results
#' @export
glance.rside_partial_auc <- function(x, ...) {
  data.frame(
    n = sum(x$counts), positives = x$counts[[x$positive]], positive = x$positive,
    focus = x$focus, from = x$range[[1]], to = x$range[[2]],
    glance_opinions(x$values, partial_areas), conf.level = x$conf_level
  )
}

#' @export
format.rside_partial_auc <- function(x, ...) {
  c(
    paste0("<partial AUC: ", format_class_counts(x$counts), ">"),
    paste0("positive class: '", x$positive, "'"),
    paste0("range: ", format_range(x)),
    sprintf(
      "area by chance %.4g, at most %.4g", x$bounds[["chance"]], x$bounds[["maximum"]]
    ),
    paste0("metric (estimator), ", format_percent(x$conf_level), " interval"),
    format_opinions(x$values),
    format_warning(x$warning)
  )
}

format_range <- function(x) {
  paste(x$focus, format_number(x$range[[1]]), "to", format_number(x$range[[2]]))
}
