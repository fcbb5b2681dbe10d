#' The registry of metrics
#'
#' Every number that rside reports has one name, one formula, one range, one
#' statement of when it is undefined, and one source. The same file is read by
#' the Python package pyside.
#'
#' @param name The names of the metrics to show, as in the results of rside; by
#'   default all.
#' @return A data frame of class `rside_metrics`, one row per metric: `name`,
#'   `title`, `tasks`, `formula`, `range`, `direction`, `interval` (its methods,
#'   or `NA`), `undefined` (when), `differs` (where another library defines it
#'   otherwise, or `NA`), `tolerance` (up to which two languages agree),
#'   `source`, `aliases` (its names elsewhere).
#'
#'   `direction` is `"higher"` or `"lower"` where that is better, `"target 0"`
#'   or `"target 1"` where that value is ideal, and `"none"` for what describes
#'   the data rather than the classifier.
#' @section Errors:
#' A name that is not in the registry raises an [rside_error] that names the
#' nearest one.
#' @examples
#' metrics("brier_score")
#' metrics()[["name"]]
#' @export
metrics <- function(name = NULL) {
  entries <- registry()
  text <- function(field) vapply(entries, function(entry) entry[[field]] %||% NA_character_, "")
  joined <- function(field) vapply(entries, function(entry) toString(unlist(entry[[field]])), "")
  known <- structure(
    data.frame(
      name = text("name"), title = text("title"), tasks = joined("tasks"),
      formula = text("formula"), range = vapply(entries, range_text, ""),
      direction = text("direction"), interval = text("interval"),
      undefined = text("undefined"), differs = text("differs"),
      tolerance = vapply(entries, function(entry) entry$tolerance, 0),
      source = text("source"), aliases = vapply(entries, alias_text, ""),
      stringsAsFactors = FALSE
    ),
    class = c("rside_metrics", "data.frame")
  )
  if (is.null(name)) known else known[rows_named(name, known), ]
}

registry <- function() jsonlite::read_json(system.file("metrics.json", package = "rside"))

range_text <- function(entry) {
  least <- entry$range[[1]]
  greatest <- entry$range[[2]]
  paste0(
    if (is.null(least)) "(-Inf" else paste0("[", least), ", ",
    if (is.null(greatest)) "Inf)" else paste0(greatest, "]")
  )
}

alias_text <- function(entry) {
  if (length(entry$aliases) == 0) {
    return(NA_character_)
  }
  paste0(names(entry$aliases), ": ", entry$aliases, collapse = "; ")
}

rows_named <- function(name, known) {
  if (!is.character(name) || anyNA(name)) {
    refuse_argument("`name` must be the names of metrics, as text.")
  }
  rows <- match(name, known$name)
  unknown <- name[is.na(rows)]
  if (length(unknown) > 0) {
    nearest <- vapply(unique(unknown), nearest_metric, "", known = known)
    refuse_argument(
      "`name` must be the names of metrics.",
      paste("Unknown:", list_values(unknown)),
      paste0("The nearest: ", list_values(nearest), "; metrics()[[\"name\"]] has all.")
    )
  }
  rows
}

# A word of another library's finds its metric; else the fewest letters differ.
nearest_metric <- function(name, known) {
  said <- tolower(paste(known$name, known$title, known$aliases))
  says <- which(grepl(tolower(name), said, fixed = TRUE))
  if (length(says) > 0) {
    return(known$name[[says[[1]]]])
  }
  known$name[[which.min(utils::adist(name, known$name, ignore.case = TRUE))]]
}

# --- methods ----------------------------------------------------------------

# Some of the columns are a plain data frame.
#' @export
`[.rside_metrics` <- function(x, ...) {
  part <- NextMethod()
  if (is.data.frame(part) && !identical(names(part), names(x))) class(part) <- "data.frame"
  part
}

#' @export
format.rside_metrics <- function(x, ...) {
  unlist(lapply(seq_len(nrow(x)), function(i) metric_lines(x[i, ])))
}

direction_words <- c(
  higher = "higher is better", lower = "lower is better", "target 0" = "0 is ideal",
  "target 1" = "1 is ideal", none = "describes the data, neither good nor bad"
)

metric_lines <- function(metric) {
  wrap <- function(label, text) {
    if (!is.na(text)) strwrap(paste0(label, text), width = 78, indent = 2, exdent = 4)
  }
  c(
    strwrap(paste0(metric$name, ": ", metric$title), width = 78, exdent = 4),
    wrap("= ", metric$formula),
    wrap("range: ", paste0(metric$range, ", ", direction_words[[metric$direction]])),
    wrap("interval: ", metric$interval),
    wrap("undefined: ", metric$undefined),
    wrap("source: ", metric$source),
    wrap("elsewhere: ", metric$aliases),
    wrap("differs: ", metric$differs)
  )
}

#' @export
print.rside_metrics <- function(x, ...) print_lines(x)
