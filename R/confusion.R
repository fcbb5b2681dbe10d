#' Confusion matrix with intervals and tests
#'
#' Counts predictions against the truth and derives the values of
#' [caret::confusionMatrix()], with the positive class always stated.
#' The table has **predictions in rows and the truth in columns**.
#'
#' Nothing is left out of the counts. A value that is undefined is `NA`, and
#' `reason` says why. See [metrics()] for every definition.
#'
#' Proportions have exact (Clopper-Pearson) or Wilson intervals; F1 has that of
#' TP / (TP + FP + FN), of which it is a function; means over the classes have
#' intervals by the method of variance estimates recovery (MOVER) from Wilson's;
#' kappa, Matthews' coefficient and weighted means by the delta method.
#'
#' @param predictions A prediction table from [as_predictions()] or
#'   [read_predictions()], a data frame that [as_predictions()] takes, or the
#'   path of a CSV file. Where it has a `weight` column, rows count by it, see
#'   the section "Case weights".
#' @param positive The positive class of a table of two classes; by default
#'   the one that the table states or assumes.
#' @param conf_level The level of the intervals, between 0 and 1.
#' @param interval The interval of a proportion: `"exact"` (Clopper-Pearson) or
#'   `"wilson"`.
#' @param prevalence The prevalence of the positive class in the population for
#'   which predictive values are wanted, between 0 and 1: adds
#'   `ppv_at_prevalence` and `npv_at_prevalence`. Two classes only.
#' @return An object of class `rside_confusion`: a list with
#'   * `table`: counts, predictions in rows, truth in columns; sums of weights
#'     where there are case weights;
#'   * `overall`, `by_class`: data frames with the columns `metric`,
#'     `estimator`, `class`, `estimate`, `std_error`, `lower`, `upper`,
#'     `method` (of the interval), `reason`; `overall` is about the positive
#'     class where there are two classes, and about means over the classes
#'     where there are more;
#'   * `tests`: a data frame of `test`, `statistic`, `df`, `p_value`, `reason`;
#'     see the section "Tests";
#'   * `positive`, `n` (rows), `conf_level`, `interval`, `prevalence` (as stated);
#'   * `warning`: how often such intervals failed in simulated tables with as few
#'     rows of a class; empty where they did not.
#'
#'   `as.data.frame()` gives the counts as `predicted`, `truth`, `n`.
#' @section Tests:
#'   * `no_information_rate`: whether the accuracy exceeds the share of the most
#'     frequent class; exact, one-sided; `statistic` is the number correct;
#'   * `mcnemar`, `mcnemar_corrected`, `mcnemar_exact`: whether the positive
#'     class is predicted as often as it is true, without and with continuity
#'     correction, and by the binomial distribution (`statistic` is the larger
#'     count);
#'   * `bowker`: the same for more than two classes; a pair of classes that are
#'     never taken for each other adds neither to the statistic nor to `df`.
#' @section Case weights:
#'   A weight of k counts a row as k copies in every estimate. Intervals take
#'   the rows as the sample, so that only the ratios of the weights matter:
#'   proportions rest on the effective number of trials of Korn and Graubard
#'   (1998), other numbers on their influence function. Tests and the count
#'   statistics are not defined with case weights, and say so.
#' @inheritSection as_predictions Errors
#' @references
#' Clopper and Pearson (1934) \doi{10.1093/biomet/26.4.404} and Wilson (1927)
#' \doi{10.1080/01621459.1927.10502953} for the intervals of proportions; Zou,
#' Huang and Zhang (2009) \doi{10.1016/j.csda.2008.09.033} and Zou (2008)
#' \doi{10.1093/aje/kwn104} for those of means; Lam, Gopal and Qian (2023)
#' \doi{10.48550/arXiv.2309.14621} for that of
#' F1; Cohen (1960) \doi{10.1177/001316446002000104} for kappa, Fleiss, Cohen and
#' Everitt (1969) \doi{10.1037/h0028106} for its interval; Gorodkin (2004)
#' \doi{10.1016/j.compbiolchem.2004.09.006} for Matthews' coefficient of several
#' classes; Brodersen et al. (2010) \doi{10.1109/ICPR.2010.764} for the balanced
#' accuracy; Mercaldo, Lau and Zhou (2007) \doi{10.1002/sim.2677} for predictive
#' values at a prevalence; McNemar (1947) \doi{10.1007/BF02295996} and Bowker
#' (1948) \doi{10.1080/01621459.1948.10483284} for the tests.
#' @examples
#' path <- system.file("extdata", "preds.csv", package = "rside")
#' confusion(read_predictions(path))
#' confusion(path, interval = "wilson", prevalence = 0.01)$overall
#' @export
confusion <- function(predictions, positive = NULL, conf_level = 0.95,
                      interval = c("exact", "wilson"), prevalence = NULL) {
  check_conf_level(conf_level)
  interval <- one_of(interval, c("exact", "wilson"), "interval")
  predictions <- predictions_of(predictions, positive)
  matrix <- confusion_of(predictions, conf_level, interval)
  if (!is.null(prevalence)) {
    check_prevalence(prevalence, matrix)
    matrix$overall <- rbind(matrix$overall, at_prevalence(matrix$overall, prevalence, conf_level))
  }
  matrix["prevalence"] <- list(prevalence)
  matrix$warning <- unname(coverage_notes(predictions, matrix$overall))
  matrix
}

confusion_of <- function(predictions, conf_level, interval = "exact") {
  known <- facts(predictions)
  load_caret()
  weighted <- is_weighted(predictions)
  tallied <- counts_of(predictions)
  tallied$overall <- accuracy_and_kappa(tallied$counts)
  values <- class_values(tallied)
  of_classes <- if (is.null(known$positive)) {
    average_opinions(tallied, values, conf_level, interval)
  } else {
    positive_opinions(values, known$positive, conf_level, interval)
  }
  structure(
    list(
      table = in_weights(tallied$counts, weight_unit(predictions)),
      overall = rbind(agreement_opinions(tallied, values, conf_level, interval), of_classes),
      by_class = one_vs_rest_opinions(values, conf_level, interval),
      tests = confusion_tests(tallied$counts, weighted),
      positive = known$positive, n = as.numeric(nrow(predictions)), conf_level = conf_level,
      interval = interval
    ),
    class = c("rside_confusion", "rside_result")
  )
}

agreement_opinions <- function(tallied, values, conf_level, interval) {
  counts <- as_numbers(tallied$counts)
  estimator <- if (nrow(counts) == 2) "binary" else "multiclass"
  true <- values$class[values$true > 0]
  predicted <- values$class[values$predicted > 0]
  one_class <- if (length(true) == 1) only_in_truth(true) else only_predicted(predicted[[1]])
  mcc <- matthews(values)
  rbind(
    accuracy_opinion(tallied, "accuracy", estimator, conf_level, interval),
    rate_opinion(tallied, estimator, conf_level, interval),
    mover_opinion("balanced_accuracy", estimator, values, "sensitivity", not_in_truth, conf_level),
    coefficient_opinion(
      "cohen_kappa", estimator, tallied$overall[["kappa"]], kappa_influence, tallied, conf_level,
      one_class
    ),
    coefficient_opinion("mcc", estimator, mcc, mcc_influence, tallied, conf_level, one_class)
  )
}

# caret's; it takes whole numbers only.
accuracy_and_kappa <- function(counts) {
  if (is.integer(counts)) {
    overall <- caret::confusionMatrix(counts)$overall
    return(c(accuracy = overall[["Accuracy"]], kappa = overall[["Kappa"]]))
  }
  agreement <- agreement_influences(counts)
  with(agreement, c(accuracy = observed, kappa = (observed - expected) / (1 - expected)))
}

accuracy_opinion <- function(tallied, metric, estimator, conf_level, interval) {
  correct <- function(m) sum(diag(m))
  share_opinion(
    metric, estimator, tallied$overall[["accuracy"]], correct, tallied, conf_level, interval
  )
}

# The share of the most frequent class: what always guessing it would reach.
rate_opinion <- function(tallied, estimator, conf_level, interval) {
  true <- colSums(tallied$counts)
  largest <- which(true >= max(true) * (1 - 1e-12))[[1]]
  of_largest <- function(m) colSums(m)[[largest]]
  share_opinion(
    "no_information_rate", estimator, max(true) / sum(true), of_largest, tallied, conf_level,
    interval
  )
}

share_opinion <- function(metric, estimator, estimate, part, tallied, conf_level, interval) {
  found <- share_precision(part, sum, tallied)
  proportion_opinion(
    metric, estimator, estimate, found$trials, conf_level, interval, std_error = found$error
  )
}

coefficient_opinion <- function(metric, estimator, estimate, influence, tallied, conf_level,
                                reason) {
  if (is.na(estimate)) {
    return(opinion(metric, estimator, estimate, reason = reason))
  }
  counts <- as_numbers(tallied$counts)
  error <- cell_error(influence(counts), counts, as_numbers(tallied$squares))
  delta_opinion(metric, estimator, estimate, error, "fisher", conf_level)
}

# The mean over the classes for which a ratio is defined.
mover_opinion <- function(metric, estimator, values, ratio, absence, conf_level) {
  estimates <- values[[ratio]]
  trials <- values[[paste0(ratio, "_trials")]]
  defined <- !is.na(estimates)
  part <- estimates[defined]
  ends <- wilson(part * trials[defined], trials[defined], conf_level)
  interval <- mover_mean(part, ends$lower, ends$upper)
  opinion(
    metric, estimator, mean(part),
    std_error = sqrt(sum(values[[paste0(ratio, "_error")]][defined]^2)) / length(part),
    lower = interval$lower, upper = interval$upper, method = "MOVER (Wilson)",
    reason = left_out(values$class[!defined], absence)
  )
}

positive_opinions <- function(values, positive, conf_level, interval) {
  is_positive <- values$class == positive
  ratio <- function(metric, column, of, absence) {
    ratio_opinion(
      metric, "binary", values[of, ], column, NA_character_, absence, conf_level, interval
    )
  }
  rbind(
    ratio("sensitivity", "sensitivity", is_positive, not_in_truth),
    ratio("specificity", "sensitivity", !is_positive, not_in_truth),
    ratio("precision", "precision", is_positive, not_predicted),
    ratio("npv", "precision", !is_positive, not_predicted),
    f1_opinion(values[is_positive, ], "binary", NA_character_, conf_level, interval)
  )
}

ratio_opinion <- function(metric, estimator, values, column, class, absence, conf_level, interval) {
  proportion_opinion(
    metric, estimator, values[[column]], values[[paste0(column, "_trials")]], conf_level, interval,
    class = class, reason = lacks(values$class, absence),
    std_error = values[[paste0(column, "_error")]]
  )
}

f1_opinion <- function(values, estimator, class, conf_level, interval) {
  jaccard <- proportion_opinion(
    "f1", estimator, values$jaccard, values$jaccard_trials, conf_level, interval, class,
    reason = lacks(values$class, in_neither), std_error = values$jaccard_error
  )
  jaccard$std_error <- jaccard$std_error * 2 / (1 + values$jaccard)^2
  ends <- c("estimate", "lower", "upper")
  jaccard[ends] <- lapply(jaccard[ends], f1_of_jaccard)
  jaccard
}

average_opinions <- function(tallied, values, conf_level, interval) {
  micro <- function(metric, estimator) {
    accuracy_opinion(tallied, metric, estimator, conf_level, interval)
  }
  rbind(
    mover_opinion("sensitivity", "macro", values, "sensitivity", not_in_truth, conf_level),
    # A row counts in the class that is its truth: the weighted mean is the accuracy.
    micro("sensitivity", "macro_weighted"),
    micro("sensitivity", "micro"),
    mover_opinion("precision", "macro", values, "precision", not_predicted, conf_level),
    weighted_opinion(
      "precision", values, tallied, precision_influences, not_predicted, conf_level
    ),
    micro("precision", "micro"),
    macro_f1_opinion(values, tallied, conf_level),
    weighted_opinion("f1", values, tallied, f1_influences, in_neither, conf_level),
    micro("f1", "micro")
  )
}

# The F1 of two classes shares the rows in which one is taken for the other.
macro_f1_opinion <- function(values, tallied, conf_level) {
  counts <- as_numbers(tallied$counts)
  defined <- !is.na(values$f1)
  part <- values[defined, ]
  ends <- wilson(part$jaccard * part$jaccard_trials, part$jaccard_trials, conf_level)
  influences <- f1_influences(counts)[defined]
  interval <- mover_mean(
    part$f1, f1_of_jaccard(ends$lower), f1_of_jaccard(ends$upper),
    influence_correlation(influences, tallied$squares)
  )
  opinion(
    "f1", "macro", mean(part$f1),
    std_error = cell_error(mean_influence(influences), counts, tallied$squares),
    lower = interval$lower, upper = interval$upper, method = "MOVER (Wilson)",
    reason = left_out(values$class[!defined], in_neither)
  )
}

# The mean weighted by how often each class is true.
weighted_opinion <- function(metric, values, tallied, influences, absence, conf_level) {
  counts <- as_numbers(tallied$counts)
  absent <- is.na(values[[metric]])
  defined <- which(!absent & values$true > 0)
  reason <- left_out(values$class[absent], absence)
  if (length(defined) == 0) {
    return(opinion(metric, "macro_weighted", NA_real_, reason = reason))
  }
  part <- values[[metric]][defined]
  influence <- weighted_influence(counts, part, influences(counts)[defined], defined)
  delta_opinion(
    metric, "macro_weighted", weighted_mean(part, values$true[defined]),
    cell_error(influence, counts, tallied$squares), "logit", conf_level,
    reason = reason
  )
}

one_vs_rest_opinions <- function(values, conf_level, interval) {
  ratio <- function(metric, absence) {
    ratio_opinion(
      metric, "one_vs_rest", values, metric, values$class, absence, conf_level, interval
    )
  }
  by_metric <- rbind(
    ratio("sensitivity", not_in_truth),
    ratio("specificity", alone_in_truth),
    ratio("precision", not_predicted),
    ratio("npv", alone_predicted),
    f1_opinion(values, "one_vs_rest", values$class, conf_level, interval)
  )
  by_class_order(by_metric, values$class)
}

by_class_order <- function(opinions, classes) {
  sorted <- opinions[order(match(opinions$class, classes)), ]
  rownames(sorted) <- NULL
  sorted
}

#' @export
as.data.frame.rside_confusion <- function(x, ...) counts_frame(x$table)

counts_frame <- function(counts) {
  frame <- as.data.frame(counts, responseName = "n", stringsAsFactors = FALSE)
  names(frame)[1:2] <- c("predicted", "truth")
  frame
}

orientation <- "predictions in rows, truth in columns"

#' @export
format.rside_confusion <- function(x, ...) {
  c(
    paste0("<confusion matrix: ", format_count(x$n), " rows; ", orientation, ">"),
    if (!is.null(x$positive)) paste0("positive class: '", x$positive, "'"),
    "",
    format_counts(x$table),
    "",
    paste0("metric (estimator), ", format_percent(x$conf_level), " interval"),
    format_opinions(if (is.null(x$positive)) rbind(x$overall, x$by_class) else x$overall),
    "",
    "tests",
    format_tests(x$tests),
    format_warning(x$warning)
  )
}

format_counts <- function(counts) utils::capture.output(print(counts))
