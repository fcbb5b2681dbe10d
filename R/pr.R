#' Precision-recall curve of two classes
#'
#' Precision against recall at every threshold, and the area under the curve by
#' both of its names, each with an interval.
#'
#' **Two areas** go by the name of "AUPRC" or "PR AUC":
#'   * `average_precision` adds steps: the precision at each threshold, times the
#'     recall that it gains. It is the mean precision over the positives, each at
#'     its own score, and does not interpolate. Report this one.
#'   * `pr_auc_trapezoid` joins the points by straight lines, as
#'     `sklearn.metrics.auc(recall, precision)` does, from the point of recall 0
#'     and precision 1, which is a convention and no threshold's. It is
#'     optimistic where precision falls from one threshold to the next: the
#'     false positives enter the denominator, so that precision falls along a
#'     curve that sags below the line (Davis and Goadrich, 2006). With few
#'     distinct scores that is a lot, with many little: scores that are all the
#'     same have an area of (1 + prevalence) / 2 instead of the prevalence. It
#'     is given to be compared with what other software reports.
#'
#' **Baseline.** A classifier that guesses has a precision of `prevalence`, the
#' share of positives, at every recall. Areas of tables with different
#' prevalence do not compare.
#'
#' **Intervals.** By default that of `average_precision` is the one of Boyd, Eng
#' and Page (2013): on the logit scale, with the standard error of a proportion
#' of as many trials as there are positives. With few positives it covers better
#' than the delta method and the bootstrap. The interval of `pr_auc_trapezoid` is
#' always that of the bootstrap, stratified by class: with many rows, fewer
#' `replicates` save time.
#'
#' @section When undefined:
#' Without positives in the truth neither area is defined, and there is no
#' curve. Without negatives precision is 1 whatever the scores; `reason` says
#' so. There is no interval where no variance is seen, as where the areas are 1,
#' and none by the bootstrap where a class has one row only.
#'
#' @inheritParams confusion
#' @param interval Of `average_precision`: `"logit"`, that of Boyd et al., or
#'   `"bootstrap"`: percentiles of samples stratified by class.
#' @inheritParams auc_ci
#' @return An object of class `rside_pr`, a list with
#'   * `curve`: a data frame of `threshold`, `recall`, `precision`, all but the
#'     threshold in `[0, 1]`. The thresholds are the observed scores, the
#'     greatest first, and a row is positive where its score is `>= threshold`;
#'   * `values`: a data frame of `metric`, `estimator`, `class`, `estimate`,
#'     `std_error`, `lower`, `upper`, `method`, `reason`, with the rows
#'     `average_precision` and `pr_auc_trapezoid`, in `[0, 1]`;
#'   * `prevalence`: the share of positives, by weight;
#'   * `counts`: the rows of the negative and the positive class, by name;
#'   * `positive`, `conf_level`, `replicates`, `seed`;
#'   * `warning`: how often such intervals failed in simulated tables with as few
#'     rows of a class; empty where they did not.
#'
#'   `as.data.frame()` gives the curve, `tidy()` the values.
#' @inheritSection as_predictions Errors
#' @inheritSection confusion Case weights
#' @references
#' Davis and Goadrich (2006) \doi{10.1145/1143844.1143874}; Boyd, Eng and Page
#' (2013) \doi{10.1007/978-3-642-40994-3_29}; Saito and Rehmsmeier (2015)
#' \doi{10.1371/journal.pone.0118432} for when to prefer the curve to a ROC
#' curve; Efron (1979) \doi{10.1214/aos/1176344552} for the bootstrap.
#' @seealso [roc_curve()].
#' @examples
#' path <- system.file("extdata", "preds.csv", package = "rside")
#' pr <- pr_curve(path, replicates = 200)
#' pr
#' autoplot(pr)
#' @export
pr_curve <- function(predictions, positive = NULL, conf_level = 0.95,
                     interval = c("logit", "bootstrap"), replicates = 2000, seed = 1) {
  check_conf_level(conf_level)
  interval <- one_of(interval, c("logit", "bootstrap"), "interval")
  check_bootstrap(replicates, seed)
  predictions <- predictions_of(predictions, positive)
  check_two_classes(
    facts(predictions)$classes, "A precision-recall curve is",
    "Make a table of one class against the rest, or merge the classes into two."
  )
  of <- two_classes(predictions)
  weights <- weights_of(predictions)
  values <- pr_values(of, weights, conf_level, replicates, seed)
  if (interval == "logit") {
    values[1, ] <- average_precision_opinion(predictions, conf_level)
  }
  if (all(of$is_positive)) {
    values$reason <- paste0(only_in_truth(of$groups[[2]]), "; ", values$reason)
  }
  structure(
    list(
      curve = pr_points(of, weights), values = values,
      prevalence = weighted_mean(of$is_positive, weights), counts = class_sizes(of),
      positive = facts(predictions)$positive, conf_level = conf_level, replicates = replicates,
      seed = seed,
      warning = low_coverage(class_sizes(of), values, weighted = is_weighted(predictions))
    ),
    class = c("rside_pr", "rside_result")
  )
}

pr_points <- function(of, weights) {
  if (!any(of$is_positive)) {
    return(data.frame(threshold = numeric(), recall = numeric(), precision = numeric()))
  }
  ranked <- ranking(of$score)
  calls <- calls(ranked, of$is_positive, weights)
  data.frame(
    threshold = ranked$threshold, recall = calls$true / total(calls$true),
    precision = calls$true / (calls$true + calls$false)
  )
}

# Both areas, by the bootstrap.
pr_values <- function(of, weights, conf_level, replicates, seed) {
  if (!any(of$is_positive)) {
    return(opinion(pr_areas, "binary", rep(NA_real_, 2), reason = only_in_truth(of$groups[[1]])))
  }
  areas <- function(calls) {
    stats::setNames(c(average_precision_of_calls(calls), trapezoid_of_calls(calls)), pr_areas)
  }
  curve_opinions(areas, of, weights, conf_level, replicates, seed)
}

pr_areas <- c("average_precision", "pr_auc_trapezoid")

# Straight lines from recall 0, precision 1. In a bootstrap sample the first thresholds may call
# nothing: they have no precision.
trapezoid_of_calls <- function(calls) {
  called <- calls$true + calls$false
  at <- called > 0
  precision <- c(1, calls$true[at] / called[at])
  gained <- diff(c(0, calls$true[at]))
  sum(gained * (precision[-1] + precision[-length(precision)]) / 2) / total(calls$true)
}

# Boyd, Eng and Page (2013): as if the positives were that many trials.
average_precision_opinion <- function(predictions, conf_level) {
  of <- two_classes(predictions)
  if (!any(of$is_positive)) {
    return(opinion(
      "average_precision", "binary", NA_real_, reason = only_in_truth(of$groups[[1]])
    ))
  }
  weights <- weights_of(predictions)
  estimate <- average_precision_of_calls(calls(ranking(of$score), of$is_positive, weights))
  error <- sqrt(estimate * (1 - estimate) / effective_rows(weights[of$is_positive]))
  delta_opinion(
    "average_precision", "binary", estimate, error, "logit", conf_level, method = "Boyd (logit)"
  )
}

# The mean precision over the positives, each at its own score: the step-wise area, which does not
# interpolate.
average_precision_of_calls <- function(calls) {
  found <- diff(c(0, calls$true))
  at <- found > 0
  weighted_mean(calls$true[at] / (calls$true + calls$false)[at], found[at])
}

# A row's influence is the derivative by its weight.
average_precision <- function(score, is_positive, weights) {
  ranked <- ranking(score)
  calls <- calls(ranked, is_positive, weights)
  called <- calls$true + calls$false
  precision <- calls$true / called
  positives <- total(calls$true)
  found <- diff(c(0, calls$true))
  estimate <- average_precision_of_calls(calls)
  # A row counts in the precision at every positive whose score is not greater than its own.
  at_or_below <- function(x) rev(cumsum(rev(found * x)))
  gain <- to_rows(ranked, precision) + to_rows(ranked, at_or_below(1 / called))
  loss <- to_rows(ranked, at_or_below(precision / called))
  derivative <- (is_positive * (gain - estimate) - loss) / positives
  list(estimate = estimate, influence = derivative * sum(weights))
}

#' @export
as.data.frame.rside_pr <- function(x, ...) x$curve

#' @rdname results
#' @export
tidy.rside_pr <- function(x, ...) tidy_opinions(x$values)

#' @rdname results
#' @export
glance.rside_pr <- function(x, ...) {
  data.frame(
    n = sum(x$counts), positives = x$counts[[x$positive]], positive = x$positive,
    prevalence = x$prevalence, glance_opinions(x$values, pr_areas), conf.level = x$conf_level
  )
}

#' @export
format.rside_pr <- function(x, ...) {
  c(
    paste0(
      "<precision-recall curve: ", count_of(nrow(x$curve), "point"), "; ",
      format_class_counts(x$counts), ">"
    ),
    paste0("positive class: '", x$positive, "'"),
    paste0("prevalence, the precision of guessing: ", format_estimate(x$prevalence)),
    paste0("metric (estimator), ", format_percent(x$conf_level), " interval"),
    format_opinions(x$values),
    if (nrow(x$curve) > 0) {
      c(
        "average_precision adds steps. pr_auc_trapezoid joins the points by lines, which",
        "is optimistic where there are few distinct scores."
      )
    },
    format_warning(x$warning)
  )
}
