#' The prediction table
#'
#' `as_predictions()` checks a data frame against the contract and returns it
#' as a prediction table, which every other function of rside takes.
#'
#' @param data A data frame (a tibble or data.table as well) with one row per
#'   example and the columns
#'   * `true_label`: the true class by name, as text or a factor; whole
#'     numbers and logicals are taken by their text;
#'   * `pred_prob_<class>`: for each class its probability, a number in
#'     `[0, 1]`; those of a row sum to 1;
#'   * optionally `id` (unique text), `pred_label` (the decision, a class),
#'     `weight` (a number, 0 or greater), and any others, kept as text.
#' @param classes The classes in their order, as text: those of the
#'   `pred_prob_` columns, each once. By default those a sidecar states, or
#'   else the columns in their order.
#' @param positive The positive class of a table of two classes. By default
#'   the one a sidecar states, or else the last class, and the report says so.
#' @param threshold With two classes, the positive class is the decision where
#'   its probability is `>= threshold`, unless there is a `pred_label`. By
#'   default the one a sidecar states, or else 0.5. It means nothing with more
#'   classes: there the decision is the class of the greatest probability, the
#'   first in class order on a tie.
#' @param sum_tolerance How far the probabilities of a row may sum from 1; a
#'   prediction table keeps the one that it was checked with.
#' @param na What to do with a row whose label or a probability is missing:
#'   `"refuse"` the table, or `"drop"` such rows, counted and reported.
#' @return A data frame of class `rside_predictions`: `true_label` and
#'   `pred_label` are factors with the classes as levels, in class order,
#'   probabilities and weights are double, all else is text. The
#'   `pred_prob_` columns stand in class order.
#' @section Errors:
#' A table that breaks the contract raises an [rside_error] of the class
#' `rside_error_<check>` that names the column and the first rows. Rows are
#' counted from 1, without the header.
#' @examples
#' as_predictions(
#'   data.frame(
#'     true_label = c("cat", "dog", "dog"),
#'     pred_prob_cat = c(0.75, 0.5, 0.125),
#'     pred_prob_dog = c(0.25, 0.5, 0.875)
#'   ),
#'   positive = "dog"
#' )
#' @export
as_predictions <- function(data, classes = NULL, positive = NULL, threshold = NULL,
                           sum_tolerance = 1e-6, na = c("refuse", "drop")) {
  na <- one_of(na, c("refuse", "drop"), "na")
  if (!is.data.frame(data)) {
    refuse_argument(
      "A prediction table must be a data frame.",
      paste0("It is of class ", list_values(class(data)), "."),
      "Use read_predictions() for a file."
    )
  }
  known <- facts(data)
  if (missing(sum_tolerance)) sum_tolerance <- known$sum_tolerance %||% sum_tolerance
  build_predictions(
    plain_columns(data),
    stated = stated_facts(known, classes, positive, threshold), known,
    sum_tolerance = sum_tolerance, na = na
  )
}

#' Read and write a prediction table
#'
#' `read_predictions()` reads a CSV file, and the JSON sidecar of the same
#' name where there is one, and checks both against the contract.
#' `write_predictions()` writes both, under a temporary name first, so that
#' no half-written file is left behind.
#'
#' Text is read as it stands: no label, id or group is turned into a number,
#' a date or a missing value, and no space is trimmed. An empty field is a
#' missing value; the text `NA` is a text. Numbers are written with as many
#' digits as they need to be read back equal.
#'
#' @param path The path of the CSV file: UTF-8, comma, header, fields quoted
#'   by `"` where needed. The sidecar of `preds.csv` is `preds.json`.
#' @param select The optional columns to keep (`id`, `pred_label`, `weight`,
#'   groups) beside `true_label` and the `pred_prob_` columns, which are
#'   always read; the others are skipped, which saves time and memory. `NULL`
#'   keeps all. Without `pred_label` the decision follows from the
#'   probabilities.
#' @inheritParams as_predictions
#' @return `read_predictions()` a prediction table, see [as_predictions()];
#'   `write_predictions()` the path, invisibly.
#' @inheritSection as_predictions Errors
#' @examples
#' path <- system.file("extdata", "preds.csv", package = "rside")
#' predictions <- read_predictions(path)
#' predictions
#'
#' copy <- tempfile(fileext = ".csv")
#' write_predictions(predictions, copy)
#' @export
read_predictions <- function(path, classes = NULL, positive = NULL, threshold = NULL,
                             select = NULL, sum_tolerance = 1e-6, na = c("refuse", "drop")) {
  na <- one_of(na, c("refuse", "drop"), "na")
  path <- one_path(path)
  check_file(path)
  check_encoding(path)
  sha256 <- cli::hash_file_sha256(path)
  sidecar_file <- sidecar_path(path)
  sidecar <- if (file.exists(sidecar_file)) check_sidecar(sidecar_file, sha256)
  header <- read_header(path)
  check_columns(header)
  selected <- select_columns(header, select)
  known <- c(
    sidecar[c("classes", "positive", "threshold", "rows")],
    list(source = c(
      list(path = path, sha256 = sha256, sidecar = !is.null(sidecar)),
      sidecar[c("task", "run", "versions")]
    ))
  )
  predictions <- build_predictions(
    read_columns(path, header, selected),
    stated = stated_facts(known, classes, positive, threshold), known,
    sum_tolerance = sum_tolerance, na = na
  )
  attr(predictions, "rside")$source$checksum <- checksum_of(predictions)
  predictions
}

#' @param predictions A prediction table from [as_predictions()] or
#'   [read_predictions()].
#' @rdname read_predictions
#' @export
write_predictions <- function(predictions, path) {
  predictions <- as_predictions(predictions)
  known <- facts(predictions)
  path <- one_path(path)
  check_target(path)
  columns <- lapply(predictions, function(x) if (is.double(x)) exact_text(x) else csv_field(x))
  lines <- c(
    paste(csv_field(names(predictions)), collapse = ","),
    do.call(paste, c(unname(columns), sep = ","))
  )
  csv <- write_temporary(lines, path)
  on.exit(unlink(csv))
  sidecar <- list(
    format = sidecar_format, format_version = sidecar_version,
    task = if (length(known$classes) == 2) "binary" else "multiclass",
    classes = I(known$classes),
    # What was assumed is left open, so that it is said again where the file is read.
    positive = if (!"positive" %in% known$assumed) known$positive,
    # toJSON() writes 15 digits, too few for some thresholds.
    threshold = if (!is.null(known$threshold) && !"threshold" %in% known$assumed) {
      structure(exact_text(known$threshold), class = "json")
    },
    rows = nrow(predictions), sha256 = cli::hash_file_sha256(csv), run = known$source$run,
    versions = as.list(versions())
  )
  json <- write_temporary(as_json(sidecar), sidecar_path(path))
  on.exit(unlink(json), add = TRUE)
  replace_file(csv, path)
  replace_file(json, sidecar_path(path))
  invisible(path)
}

# --- from columns to a table --------------------------------------------------

build_predictions <- function(columns, stated, known, sum_tolerance, na) {
  if (!is_number(sum_tolerance) || sum_tolerance < 0) {
    refuse_argument("`sum_tolerance` must be one number, 0 or greater.")
  }
  check_columns(names(columns))
  check_label_column(names(columns))
  classes <- check_classes(stated$classes, check_class_columns(names(columns)))
  positive <- check_positive(stated$positive, classes)
  threshold <- check_threshold(stated$threshold, classes)
  check_threshold_class(stated$threshold, stated$threshold_for, positive)
  rows <- length(columns[[label_column]])
  check_row_count(rows, stated$rows)

  labels <- text_of(columns[[label_column]])
  probability_names <- paste0(probability_prefix, classes)
  numbers <- lapply(columns[probability_names], parse_numbers)
  keep <- if (na == "drop") is_complete(labels, numbers) else rep(TRUE, rows)
  check_kept_rows(keep)
  check_labels(labels, keep, classes)
  check_probabilities(numbers, keep)
  probabilities <- lapply(numbers, `[[`, "value")
  check_row_sums(matrix_of(probabilities), keep, sum_tolerance)

  first <- intersect(c("id", "pred_label", "weight"), names(columns))
  others <- columns[setdiff(union(first, names(columns)), c(label_column, probability_names))]
  settled <- Map(settle_column, names(others), others, list(keep), list(classes))
  leading <- intersect("id", names(settled))
  table <- c(
    settled[leading],
    stats::setNames(list(factor(labels, levels = classes)), label_column),
    probabilities,
    settled[setdiff(names(settled), leading)]
  )
  table <- lapply(table, function(column) column[keep])
  structure(
    table,
    row.names = .set_row_names(sum(keep)),
    class = c("rside_predictions", "data.frame"),
    rside = list(
      classes = classes, positive = positive, threshold = threshold,
      sum_tolerance = sum_tolerance, assumed = assumed_facts(stated, classes),
      dropped = (known$dropped %||% 0) + sum(!keep),
      source = known$source
    )
  )
}

is_complete <- function(labels, numbers) {
  complete <- lapply(numbers, function(x) x$bad | !is.na(x$value))
  Reduce(`&`, complete, !is_missing(labels))
}

settle_column <- function(name, column, keep, classes) {
  if (name == "weight") {
    weight <- parse_numbers(column)
    check_weights(weight, keep)
    return(weight$value)
  }
  text <- text_of(column)
  if (name == "id") check_ids(text, keep)
  if (name == "pred_label") {
    check_decisions(text, keep, classes)
    return(factor(text, levels = classes))
  }
  text
}

# What is stated comes from the arguments, or else from what is known of the table already.
stated_facts <- function(known, classes, positive, threshold) {
  check_stated(classes, positive, threshold)
  keep <- function(fact) if (!fact %in% known$assumed) known[[fact]]
  list(
    classes = classes %||% keep("classes"),
    positive = positive %||% keep("positive"),
    threshold = threshold %||% keep("threshold"),
    threshold_for = if (is.null(threshold)) keep("positive"),
    rows = known$rows
  )
}

check_stated <- function(classes, positive, threshold) {
  if (!is.null(positive) && !is_text(positive)) {
    refuse_argument("`positive` must be the name of one class, as text.")
  }
  if (!is.null(classes) && !(is.character(classes) && !anyNA(classes))) {
    refuse_argument("`classes` must be the names of the classes, as text.")
  }
  if (!is.null(threshold) && !(is.numeric(threshold) && length(threshold) == 1)) {
    refuse_argument("`threshold` must be one number.")
  }
}

assumed_facts <- function(stated, classes) {
  binary <- length(classes) == 2
  facts <- c(
    classes = is.null(stated$classes),
    positive = binary && is.null(stated$positive),
    threshold = binary && is.null(stated$threshold)
  )
  names(facts)[facts]
}

facts <- function(predictions) attr(predictions, "rside", exact = TRUE)

# For every function that takes "predictions": a table, a data frame, or a path. Rows of weight 0
# are left out.
predictions_of <- function(x, positive = NULL, threshold = NULL) {
  counted_rows(if (is.character(x)) {
    read_predictions(x, positive = positive, threshold = threshold)
  } else {
    with_true_source(as_predictions(x, positive = positive, threshold = threshold))
  })
}

# A digest is that of the file: a table that was changed since it was read has none.
with_true_source <- function(predictions) {
  known <- facts(predictions)
  read <- known$source$checksum
  if (!is.null(read) && !identical(read, checksum_of(predictions))) {
    known["source"] <- list(NULL)
    attr(predictions, "rside") <- known
  }
  predictions
}

# Of what the numbers depend on, in its order.
checksum_of <- function(predictions) {
  columns <- c(
    label_column, paste0(probability_prefix, facts(predictions)$classes), "pred_label", "weight"
  )
  place <- seq_len(nrow(predictions)) %% 65521 + 1
  there <- unclass(predictions)[intersect(columns, names(predictions))]
  vapply(there, function(column) sum(place * as.numeric(column)), 0)
}

score_of <- function(predictions, class) predictions[[paste0(probability_prefix, class)]]

probabilities_of <- function(predictions) {
  classes <- facts(predictions)$classes
  probabilities <- matrix_of(lapply(classes, score_of, predictions = predictions))
  colnames(probabilities) <- classes
  probabilities
}

matrix_of <- function(columns) {
  matrix(unlist(columns, use.names = FALSE), ncol = length(columns))
}

decision_of <- function(predictions) {
  if ("pred_label" %in% names(predictions)) predictions$pred_label else rule_of(predictions)
}

rule_of <- function(predictions) {
  known <- facts(predictions)
  chosen <- if (length(known$classes) == 2) {
    is_positive <- score_of(predictions, known$positive) >= known$threshold
    ifelse(is_positive, known$positive, setdiff(known$classes, known$positive))
  } else {
    known$classes[max.col(probabilities_of(predictions), ties.method = "first")]
  }
  factor(chosen, levels = known$classes)
}

# --- methods ------------------------------------------------------------------

# A selection of rows is a prediction table still; one of columns may not be.
#' @export
`[.rside_predictions` <- function(x, ...) {
  part <- NextMethod()
  if (!is.data.frame(part)) {
    return(part)
  }
  needed <- c(label_column, paste0(probability_prefix, facts(x)$classes))
  if (all(needed %in% names(part))) {
    known <- facts(x)
    # The digest is that of the whole file.
    if (nrow(part) != nrow(x)) known["source"] <- list(NULL)
    attr(part, "rside") <- known
  } else {
    attr(part, "rside") <- NULL
    class(part) <- "data.frame"
  }
  part
}

#' @export
format.rside_predictions <- function(x, ...) {
  known <- facts(x)
  assumed <- function(fact) if (fact %in% known$assumed) " (assumed)" else ""
  c(
    paste0(
      "<prediction table: ", count_of(nrow(x), "row"), ", ", length(known$classes), " classes>"
    ),
    paste0("classes: ", shorten_list(quoted(known$classes)), assumed("classes")),
    if (!is.null(known$positive)) {
      c(
        paste0("positive class: '", known$positive, "'", assumed("positive")),
        if (!"pred_label" %in% names(x)) {
          paste0(
            "decision: positive where p >= ", format_number(known$threshold), assumed("threshold")
          )
        }
      )
    },
    if (known$dropped > 0) paste("rows left out, a value missing:", format_count(known$dropped))
  )
}

#' @export
print.rside_predictions <- function(x, n = 6, ...) {
  cat(format(x), sep = "\n")
  print(utils::head(as.data.frame(x), n))
  invisible(x)
}

#' @export
as.data.frame.rside_predictions <- function(x, ...) {
  attr(x, "rside") <- NULL
  class(x) <- "data.frame"
  x
}
