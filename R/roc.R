#' ROC curve of two classes
#'
#' The curve of [pROC::roc()] with levels and direction fixed: a greater
#' probability of the positive class always speaks for the positive class.
#' A classifier that is worse than chance has an AUC below 0.5 and is
#' reported so.
#'
#' A table whose truth holds one class only has no curve: `auc` is `NA` and
#' `reason` says why.
#'
#' @inheritParams auc_ci
#' @return An object of class `rside_roc`, a list with
#'   * `curve`: a data frame of `threshold`, `sensitivity`, `specificity`. The
#'     thresholds are the observed scores, the greatest first, and a row is
#'     positive where its score is `>= threshold`; the first, `Inf`, calls
#'     nothing positive;
#'   * `auc`, with `std_error`, `lower`, `upper`, `method` and `reason`;
#'   * `auto`: the AUC that pROC's `direction = "auto"` would have reported;
#'   * `counts`: the rows of the negative and the positive class, by name;
#'   * `positive`, `conf_level`; `replicates` and `seed` of the bootstrap, if there
#'     was one;
#'   * `warning`: how often such an interval failed in simulated tables with as
#'     few rows of a class; empty where it did not.
#'
#'   `as.data.frame()` gives the curve.
#' @inheritSection as_predictions Errors
#' @inheritSection confusion Case weights
#' @references DeLong et al. (1988) \doi{10.2307/2531595} for the interval.
#' @seealso [auc_ci()] for the AUC alone, [multiclass_auc()] for more classes.
#' @examples
#' path <- system.file("extdata", "preds.csv", package = "rside")
#' roc <- roc_curve(read_predictions(path))
#' roc
#' autoplot(roc)
#' @export
roc_curve <- function(predictions, positive = NULL, conf_level = 0.95,
                      interval = c("delong", "logit", "newcombe", "bootstrap"),
                      replicates = 2000, seed = 1) {
  check_conf_level(conf_level)
  interval <- one_of(interval, names(auc_intervals), "interval")
  check_bootstrap(replicates, seed)
  roc_of(predictions_of(predictions, positive), conf_level, interval, replicates, seed)
}

roc_of <- function(predictions, conf_level, interval = "delong", replicates = 2000, seed = 1) {
  known <- facts(predictions)
  check_two_classes(known$classes)
  negative <- setdiff(known$classes, known$positive)
  fit <- fit_roc(
    score_of(predictions, known$positive), predictions$true_label == known$positive,
    weights_of(predictions), conf_level,
    absent = only_in_truth(c(known$positive, negative)),
    groups = paste0("class '", c(negative, known$positive), "'"),
    interval = interval, replicates = replicates, seed = seed
  )
  names(fit$counts) <- c(negative, known$positive)
  structure(
    c(fit, list(
      positive = known$positive, conf_level = conf_level,
      replicates = if (interval == "bootstrap") replicates,
      seed = if (interval == "bootstrap") seed,
      warning = low_coverage(fit$counts, fitted_auc(fit), fit$method, is_weighted(predictions))
    )),
    class = c("rside_roc", "rside_result")
  )
}

#' Area under the ROC curve, with its interval
#'
#' The AUC is the probability that a positive scores above a negative, ties
#' counted half; see [roc_curve()] for how direction and levels are fixed. It
#' is always that of the curve, whatever the interval.
#'
#' Where DeLong's interval is undefined, with fewer than two examples of a
#' class or where its variance is 0 (an AUC of 1 among others), that of
#' Newcombe stands in for it; `method` names it and `reason` says why.
#'
#' @inheritParams confusion
#' @param interval `"delong"`, cut off at 0 and 1; `"logit"`, DeLong's on the
#'   logit scale; `"newcombe"`, Newcombe's method 5, which needs the AUC and the
#'   numbers of rows only; or `"bootstrap"`, percentiles of samples stratified
#'   by class.
#' @param replicates How many bootstrap samples.
#' @param seed Of the bootstrap: the same seed gives the same interval. The
#'   session's own random numbers are left as they were.
#' @return An object of class `rside_auc`: a list of `estimate`, `std_error`,
#'   `lower`, `upper`, `method`, `reason` (`NA` where all is defined), `auto`
#'   (what pROC's `direction = "auto"` would have reported), `counts`,
#'   `positive`, `conf_level`, `replicates` and `seed` of the bootstrap, if there
#'   was one, and `warning`: how often such an interval failed in simulated
#'   tables with as few rows of a class, empty where it did not.
#'   `as.data.frame()` gives it as one row.
#' @inheritSection as_predictions Errors
#' @inheritSection confusion Case weights
#' @references
#' DeLong et al. (1988) \doi{10.2307/2531595}; Newcombe (2006)
#' \doi{10.1002/sim.2324}; Efron (1979) \doi{10.1214/aos/1176344552} for the
#' bootstrap.
#' @examples
#' path <- system.file("extdata", "preds.csv", package = "rside")
#' auc_ci(read_predictions(path))
#' auc_ci(path, interval = "bootstrap", replicates = 200)
#' @export
auc_ci <- function(predictions, positive = NULL, conf_level = 0.95,
                   interval = c("delong", "logit", "newcombe", "bootstrap"),
                   replicates = 2000, seed = 1) {
  roc <- roc_curve(predictions, positive, conf_level, interval, replicates, seed)
  structure(
    list(
      estimate = roc$auc, std_error = roc$std_error, lower = roc$lower, upper = roc$upper,
      method = roc$method, reason = roc$reason, auto = roc$auto, counts = roc$counts,
      positive = roc$positive, conf_level = conf_level, replicates = roc$replicates,
      seed = roc$seed, warning = roc$warning
    ),
    class = c("rside_auc", "rside_result")
  )
}

auc_intervals <- c(
  delong = "DeLong", logit = "DeLong (logit)", newcombe = "Newcombe", bootstrap = bootstrap_method
)

check_two_classes <- function(classes, what = "A ROC curve is",
                              fix = "Use multiclass_auc(), or merge the classes into two.") {
  if (length(classes) > 2) {
    refuse_argument(
      paste(what, "defined for two classes."),
      paste("There are", length(classes), "classes:", shorten_list(quoted(classes))), fix
    )
  }
}

# `absent` says why there is no AUC without negatives, and without positives;
# `groups` names the negatives and the positives.
fit_roc <- function(score, is_positive, weights, conf_level, absent, groups,
                    interval = "delong", replicates = 2000, seed = 1) {
  counts <- c(sum(!is_positive), sum(is_positive))
  fit <- list(
    curve = data.frame(threshold = numeric(), sensitivity = numeric(), specificity = numeric()),
    auc = NA_real_, std_error = NA_real_, lower = NA_real_, upper = NA_real_,
    method = NA_character_, reason = NA_character_, auto = NA_real_, counts = counts
  )
  if (any(counts == 0)) {
    fit$reason <- absent[[match(0, counts)]]
    return(fit)
  }
  ranked <- ranking(score)
  calls <- calls(ranked, is_positive, weights)
  fit$curve <- data.frame(threshold = c(Inf, ranked$threshold), roc_points(calls))
  roc <- if (all(weights == 1)) proc_roc(score, is_positive)
  fit$auc <- if (is.null(roc)) auc_of_calls(calls) else as.numeric(roc$auc)
  # pROC takes no case weights.
  fit$auto <- if (is.null(roc)) NA_real_ else auto_auc(fit$auc, score, is_positive)
  undefined <- no_delong(score, is_positive, counts, groups)
  found <- if (interval == "bootstrap") {
    draws <- bootstrap(
      function(times) auc_of_calls(calls(ranked, is_positive, times)), is_positive, weights,
      replicates, seed
    )
    bootstrap_opinion("roc_auc", "binary", fit$auc, draws, conf_level)
  } else {
    auc_opinion(fit$auc, roc, score, is_positive, weights, interval, undefined, conf_level)
  }
  fields <- c("std_error", "lower", "upper", "method", "reason")
  fit[fields] <- as.list(found[fields])
  fit
}

# The AUC of a fit as a row of a report.
fitted_auc <- function(fit, estimator = "binary", class = NA_character_) {
  opinion(
    "roc_auc", estimator, fit$auc, class, fit$std_error, fit$lower, fit$upper, fit$method,
    fit$reason
  )
}

proc_roc <- function(score, is_positive) {
  pROC::roc(
    response = is_positive, predictor = score, levels = c(FALSE, TRUE), direction = "<",
    quiet = TRUE
  )
}

# DeLong's interval by pROC, which takes no case weights: with them, by the placements.
auc_opinion <- function(auc, roc, score, is_positive, weights, interval, undefined, conf_level) {
  row <- function(std_error, ends, method, reason = NA_character_) {
    opinion(
      "roc_auc", "binary", auc, NA_character_, std_error, ends[[1]], ends[[2]], method, reason
    )
  }
  if (interval == "newcombe" || !is.na(undefined)) {
    ends <- newcombe_auc(
      auc, effective_rows(weights[is_positive]), effective_rows(weights[!is_positive]), conf_level
    )
    return(row(
      NA_real_, ends, auc_intervals[["newcombe"]],
      if (interval == "newcombe") NA_character_ else undefined
    ))
  }
  error <- if (is.null(roc)) {
    influence_error(auc_influence(score, is_positive, weights)$influence, weights)
  } else {
    sqrt(pROC::var(roc, method = "delong"))
  }
  if (interval == "logit") {
    return(row(error, delta_interval(auc, error, "logit", conf_level), auc_intervals[["logit"]]))
  }
  ends <- delta_interval(auc, error, "identity", conf_level)
  row(error, list(max(ends$lower, 0), min(ends$upper, 1)), auc_intervals[["delong"]])
}

# DeLong's variance is 0 where the classes do not overlap, and where all scores are one.
no_delong <- function(score, is_positive, counts, groups) {
  if (any(counts < 2)) {
    return(paste0(too_few(groups[[match(TRUE, counts < 2)]]), newcombe_instead))
  }
  positive <- range(score[is_positive])
  negative <- range(score[!is_positive])
  apart <- positive[1] > negative[2] || negative[1] > positive[2]
  if (apart || diff(range(score)) == 0) {
    return(paste0("DeLong's variance is 0", newcombe_instead))
  }
  NA_character_
}

newcombe_instead <- ": Newcombe's interval instead of DeLong's"

# direction = "auto" turns the curve round where the negatives have the greater median.
auto_auc <- function(auc, score, is_positive) {
  turned <- stats::median(score[!is_positive]) > stats::median(score[is_positive])
  if (turned) 1 - auc else auc
}

#' @export
as.data.frame.rside_roc <- function(x, ...) x$curve

#' @export
as.data.frame.rside_auc <- function(x, ...) {
  data.frame(
    estimate = x$estimate, std_error = x$std_error, lower = x$lower, upper = x$upper,
    method = x$method,
    reason = x$reason, positive = x$positive, conf_level = x$conf_level,
    stringsAsFactors = FALSE
  )
}

#' @export
format.rside_roc <- function(x, ...) {
  c(
    paste0("<ROC curve: ", nrow(x$curve), " points; ", format_class_counts(x$counts), ">"),
    format_auc(x$auc, x)
  )
}

#' @export
format.rside_auc <- function(x, ...) {
  c(paste0("<AUC: ", format_class_counts(x$counts), ">"), format_auc(x$estimate, x))
}

format_class_counts <- function(counts) {
  paste(paste0(format_count(counts), " '", names(counts), "'"), collapse = ", ")
}

format_auc <- function(estimate, x) {
  c(
    paste0("positive class: '", x$positive, "'"),
    paste0("AUC: ", format_auc_interval(estimate, x)),
    if (!is.na(x$reason)) x$reason,
    auto_note(estimate, x$auto),
    format_warning(x$warning)
  )
}

format_auc_interval <- function(estimate, x) {
  interval <- if (!is.na(x$lower)) paste0(" (", format_percent(x$conf_level), ", ", x$method, ")")
  paste0(format_estimate(estimate, x$lower, x$upper), interval)
}

auto_note <- function(auc, auto) {
  if (!is.na(auto) && auto != auc) {
    paste0("pROC's direction = \"auto\" would have reported an AUC of ", sprintf("%.4f", auto))
  }
}
