#' Validate a prediction table
#'
#' Computes every number of a report, each with its interval where one is
#' defined, and says in words what was assumed, left out or undefined.
#'
#' @inheritParams confusion
#' @inheritParams as_predictions
#' @param predictions A prediction table from [as_predictions()] or
#'   [read_predictions()], a data frame that [as_predictions()] takes, or the
#'   path of a CSV file.
#' @param conf_level The level of the intervals, between 0 and 1.
#' @return An object of class `rside_validation`: a list with
#'   * `metrics`: a data frame of `metric`, `estimator`, `class`, `estimate`,
#'     `std_error`, `lower`, `upper`, `method` (of the interval), `reason`, one
#'     row per number; see [metrics()];
#'   * `confusion`: the counts, predictions in rows, truth in columns; sums of
#'     weights where there are case weights;
#'   * `roc`: the curve, see [roc_curve()]; `NULL` with more than two classes;
#'   * `classes`, `positive`, `threshold`, `n`, `dropped`, `conf_level`;
#'   * `source`: the file, its SHA-256 and what its sidecar says of the run;
#'   * `notes`: a data frame of `code` and `text`;
#'   * `versions`: of R and the packages, by name.
#'
#'   `as.data.frame()` gives `metrics`.
#' @inheritSection as_predictions Errors
#' @examples
#' path <- system.file("extdata", "preds.csv", package = "rside")
#' report <- validate(path)
#' report
#' as.data.frame(report)
#' @export
validate <- function(predictions, positive = NULL, threshold = NULL, conf_level = 0.95) {
  check_conf_level(conf_level)
  predictions <- predictions_of(predictions, positive, threshold)
  known <- facts(predictions)
  matrix <- confusion_of(predictions, conf_level)
  roc <- if (!is.null(known$positive)) roc_of(predictions, conf_level)
  metrics <- if (is.null(roc)) {
    multiclass_metrics(predictions, matrix, conf_level)
  } else {
    binary_metrics(predictions, matrix, roc, conf_level)
  }
  structure(
    list(
      metrics = metrics,
      confusion = matrix$table, roc = roc,
      classes = known$classes, positive = known$positive, threshold = known$threshold,
      n = matrix$n, dropped = known$dropped, conf_level = conf_level, source = known$source,
      notes = notes_of(predictions, roc, metrics), versions = versions()
    ),
    class = c("rside_validation", "rside_result")
  )
}

binary_metrics <- function(predictions, matrix, roc, conf_level) {
  rbind(
    matrix$overall,
    fitted_auc(roc),
    average_precision_opinion(predictions, conf_level),
    probability_opinions(predictions, conf_level)
  )
}

multiclass_metrics <- function(predictions, matrix, conf_level) {
  aucs <- multiclass_auc_of(predictions, conf_level)$values
  is_mean <- is.na(aucs$class)
  rbind(
    matrix$overall,
    aucs[is_mean, ],
    probability_opinions(predictions, conf_level),
    by_class_order(rbind(matrix$by_class, aucs[!is_mean, ]), matrix$by_class$class)
  )
}

versions <- function() {
  packages <- c("rside", "data.table", "caret", "pROC")
  installed <- function(package) utils::packageDescription(package, fields = "Version")
  c(R = as.character(getRversion()), vapply(packages, installed, ""))
}

# --- notes ------------------------------------------------------------------

notes_of <- function(predictions, roc, metrics) {
  texts <- c(
    assumption_notes(predictions), data_notes(predictions), score_notes(predictions, roc),
    coverage_notes(predictions, metrics)
  )
  data.frame(code = names(texts) %||% character(), text = unname(texts) %||% character())
}

assumption_notes <- function(predictions) {
  known <- facts(predictions)
  decided <- "pred_label" %in% names(predictions)
  c(
    if ("classes" %in% known$assumed) {
      c(classes_assumed = paste0(
        "The class order was assumed to be that of the columns: ",
        shorten_list(quoted(known$classes)), ". Set it with `classes`, or by a sidecar."
      ))
    },
    if ("positive" %in% known$assumed) {
      c(positive_assumed = paste0(
        "The positive class was assumed to be the last one, '", known$positive,
        "'. Set it with `positive`, or by a sidecar."
      ))
    },
    if ("threshold" %in% known$assumed && !decided) {
      c(threshold_assumed = paste0(
        "The threshold was assumed to be ", format_number(known$threshold),
        ". Set it with `threshold`, or by a sidecar."
      ))
    }
  )
}

data_notes <- function(predictions) {
  known <- facts(predictions)
  absent <- setdiff(known$classes, as.character(unique(predictions$true_label)))
  differs <- sum(decision_of(predictions) != rule_of(predictions))
  rule <- if (is.null(known$positive)) {
    "the greatest probability"
  } else {
    paste("the threshold", format_number(known$threshold))
  }
  c(
    if (known$dropped > 0) {
      c(rows_dropped = paste0(
        count_of(known$dropped, "row"), " left out: the label or a probability is missing."
      ))
    },
    if (length(absent) > 0) {
      c(class_absent = paste0(
        capital_names(absent), " ", not_in_truth[[min(length(absent), 2)]], "."
      ))
    },
    if (differs > 0) {
      c(pred_label_differs = paste0(
        "In ", count_of(differs, "row"), " the `pred_label` is not what ", rule,
        " gives; the `pred_label` was used."
      ))
    },
    weight_notes(predictions)
  )
}

capital_names <- function(classes) {
  names <- list_names("class", classes)
  paste0(toupper(substr(names, 1, 1)), substring(names, 2))
}

score_notes <- function(predictions, roc) {
  classes <- facts(predictions)$positive %||% facts(predictions)$classes
  is_hard <- vapply(classes, function(class) has_two_values(score_of(predictions, class)), NA)
  auto <- if (!is.null(roc)) auto_note(roc$auc, roc$auto)
  c(
    if (any(is_hard)) {
      c(two_valued_scores = paste0(
        "At most two different values in ",
        list_names("column", paste0(probability_prefix, classes[is_hard])),
        ": such an AUC is that of hard labels, not of probabilities."
      ))
    },
    if (!is.null(auto)) c(auto_direction = paste0(auto, "."))
  )
}

has_two_values <- function(score) all(score == min(score) | score == max(score))

count_of <- function(count, noun) {
  paste(format_count(count), if (count == 1) noun else paste0(noun, "s"))
}

# --- methods ----------------------------------------------------------------

#' @export
as.data.frame.rside_validation <- function(x, ...) x$metrics

#' @export
format.rside_validation <- function(x, ...) {
  c(
    paste0(
      "<validation: ", count_of(x$n, "row"), ", ", length(x$classes), " classes",
      if (x$dropped > 0) paste0(", ", count_of(x$dropped, "row"), " left out"), ">"
    ),
    paste0("classes: ", shorten_list(quoted(x$classes))),
    if (!is.null(x$positive)) {
      paste0("positive class: '", x$positive, "', threshold ", format_number(x$threshold))
    },
    "",
    paste0("confusion matrix, ", orientation),
    format_counts(x$confusion),
    "",
    paste0("metric (estimator), ", format_percent(x$conf_level), " interval"),
    format_opinions(x$metrics),
    if (nrow(x$notes) > 0) c("", "notes", strwrap(x$notes$text, 78, indent = 2, exdent = 4)),
    "",
    paste(names(x$versions), x$versions, collapse = ", ")
  )
}
