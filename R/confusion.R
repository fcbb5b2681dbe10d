#' Confusion matrix with exact intervals
#'
#' Counts predictions against the truth and derives the values of
#' [caret::confusionMatrix()], with the positive class always stated.
#' The table has **predictions in rows and the truth in columns**.
#'
#' Nothing is left out of the counts. A value that is undefined is `NA`, and
#' `reason` says why. See [metrics()] for every definition.
#'
#' @param predictions A prediction table from [as_predictions()] or
#'   [read_predictions()], a data frame that [as_predictions()] takes, or the
#'   path of a CSV file.
#' @param positive The positive class of a table of two classes; by default
#'   the one that the table states or assumes.
#' @param conf_level The level of the intervals, between 0 and 1.
#' @return An object of class `rside_confusion`: a list with
#'   * `table`: integer counts, predictions in rows, truth in columns;
#'   * `overall`, `by_class`: data frames with the columns `metric`,
#'     `estimator`, `class`, `estimate`, `lower`, `upper`, `reason`; `overall`
#'     is about the positive class where there are two classes, and about the
#'     mean over the classes where there are more;
#'   * `positive`, `n`, `conf_level`.
#'
#'   `as.data.frame()` gives the counts as `predicted`, `truth`, `n`.
#' @inheritSection as_predictions Errors
#' @references
#' Clopper and Pearson (1934) \doi{10.1093/biomet/26.4.404} for the intervals;
#' Gorodkin (2004) \doi{10.1016/j.compbiolchem.2004.09.006} for Matthews'
#' coefficient of several classes; Cohen (1960)
#' \doi{10.1177/001316446002000104}; Brodersen et al. (2010)
#' \doi{10.1109/ICPR.2010.764} for the balanced accuracy.
#' @examples
#' path <- system.file("extdata", "preds.csv", package = "rside")
#' confusion(read_predictions(path))
#' @export
confusion <- function(predictions, positive = NULL, conf_level = 0.95) {
  check_conf_level(conf_level)
  confusion_of(predictions_of(predictions, positive), conf_level)
}

confusion_of <- function(predictions, conf_level) {
  known <- facts(predictions)
  load_caret()
  counts <- table(prediction = decision_of(predictions), truth = predictions$true_label)
  values <- class_values(counts)
  of_classes <- if (is.null(known$positive)) {
    macro_opinions(values)
  } else {
    positive_opinions(values, known$positive, conf_level)
  }
  structure(
    list(
      table = counts,
      overall = rbind(agreement_opinions(counts, values, conf_level), of_classes),
      by_class = one_vs_rest_opinions(values, conf_level),
      positive = known$positive, n = sum(values$true), conf_level = conf_level
    ),
    class = "rside_confusion"
  )
}

# Where TZ is unset, loading caret asks timedatectl for the time zone, which
# prints an error on a machine without systemd.
load_caret <- function() {
  if (Sys.getenv("TZ") == "") {
    Sys.setenv(TZ = "UTC")
    on.exit(Sys.unsetenv("TZ"))
  }
  loadNamespace("caret")
}

# Counts and ratios of every class; caret gives NA where a ratio is undefined.
class_values <- function(counts) {
  classes <- rownames(counts)
  per_class <- function(measure) {
    vapply(classes, function(class) as.numeric(measure(counts, relevant = class)), 0)
  }
  values <- data.frame(
    class = classes,
    correct = as.numeric(diag(counts)),
    true = as.numeric(colSums(counts)),
    predicted = as.numeric(rowSums(counts)),
    sensitivity = per_class(caret::recall), precision = per_class(caret::precision),
    stringsAsFactors = FALSE
  )
  # caret's F1 is NaN where nothing is correct; by counts it is 0.
  values$f1 <- 2 * values$correct / (values$true + values$predicted)
  values
}

agreement_opinions <- function(counts, values, conf_level) {
  overall <- caret::confusionMatrix(counts)$overall
  estimator <- if (nrow(counts) == 2) "binary" else "multiclass"
  true <- values$class[values$true > 0]
  predicted <- values$class[values$predicted > 0]
  one_class <- if (length(true) == 1) only_in_truth(true) else only_predicted(predicted[[1]])
  kappa <- unname(overall["Kappa"])
  mcc <- matthews(values)
  rbind(
    proportion_opinion(
      "accuracy", estimator, unname(overall["Accuracy"]),
      sum(values$correct), sum(values$true), conf_level
    ),
    opinion(
      "balanced_accuracy", estimator, mean(values$sensitivity, na.rm = TRUE),
      reason = left_out(setdiff(values$class, true), not_in_truth)
    ),
    opinion("cohen_kappa", estimator, kappa, reason = if_undefined(kappa, one_class)),
    opinion("mcc", estimator, mcc, reason = if_undefined(mcc, one_class))
  )
}

# Gorodkin (2004); NaN where truth or predictions hold one class only.
matthews <- function(values) {
  rows <- sum(values$true)
  covariance <- sum(values$correct) * rows - sum(values$predicted * values$true)
  covariance / sqrt(rows^2 - sum(values$predicted^2)) / sqrt(rows^2 - sum(values$true^2))
}

positive_opinions <- function(values, positive, conf_level) {
  is_positive <- values$class == positive
  ratio <- function(metric, column, base, of, absence) {
    proportion_opinion(
      metric, "binary", values[[column]][of], values$correct[of], values[[base]][of], conf_level,
      reason = lacks(values$class[of], absence)
    )
  }
  rbind(
    ratio("sensitivity", "sensitivity", "true", is_positive, not_in_truth),
    ratio("specificity", "sensitivity", "true", !is_positive, not_in_truth),
    ratio("precision", "precision", "predicted", is_positive, not_predicted),
    ratio("npv", "precision", "predicted", !is_positive, not_predicted),
    f1_opinion(values[is_positive, ], "binary", NA_character_)
  )
}

f1_opinion <- function(values, estimator, class) {
  opinion(
    "f1", estimator, values$f1, class,
    reason = if_undefined(values$f1, lacks(values$class, in_neither))
  )
}

macro_opinions <- function(values) {
  macro <- function(metric, absence) {
    opinion(
      metric, "macro", mean(values[[metric]], na.rm = TRUE),
      reason = left_out(values$class[is.na(values[[metric]])], absence)
    )
  }
  rbind(
    macro("sensitivity", not_in_truth), macro("precision", not_predicted), macro("f1", in_neither)
  )
}

one_vs_rest_opinions <- function(values, conf_level) {
  ratio <- function(metric, base, absence) {
    proportion_opinion(
      metric, "one_vs_rest", values[[metric]], values$correct, values[[base]], conf_level,
      class = values$class, reason = lacks(values$class, absence)
    )
  }
  by_metric <- rbind(
    ratio("sensitivity", "true", not_in_truth),
    ratio("precision", "predicted", not_predicted),
    f1_opinion(values, "one_vs_rest", values$class)
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
    paste0(format_percent(x$conf_level), " intervals are exact (Clopper-Pearson)"),
    format_opinions(if (is.null(x$positive)) rbind(x$overall, x$by_class) else x$overall)
  )
}

format_counts <- function(counts) utils::capture.output(print(counts))

#' @export
print.rside_confusion <- function(x, ...) print_lines(x)
