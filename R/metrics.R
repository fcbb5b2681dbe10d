#' The registry of metrics
#'
#' Every number that rside reports has one name, one formula, one range, one
#' statement of when it is undefined, and one source. The same file is read by
#' the Python package pyside.
#'
#' @return A data frame of class `rside_metrics`, one row per metric: `name`,
#'   `title`, `tasks`, `formula`, `range`, `direction` (which is better),
#'   `interval` (the method, or `NA`), `undefined`, `differs` (where another
#'   library defines it otherwise, or `NA`), `tolerance`, `source`, `aliases`.
#' @examples
#' metrics()
#' metrics()[["formula"]]
#' @export
metrics <- function() {
  entries <- jsonlite::read_json(system.file("metrics.json", package = "rside"))
  text <- function(field) vapply(entries, function(entry) entry[[field]] %||% NA_character_, "")
  joined <- function(field) vapply(entries, function(entry) toString(unlist(entry[[field]])), "")
  structure(
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
}

range_text <- function(entry) {
  upper <- entry$range[[2]]
  paste0("[", entry$range[[1]], ", ", if (is.null(upper)) "Inf)" else paste0(upper, "]"))
}

alias_text <- function(entry) paste0(names(entry$aliases), ": ", entry$aliases, collapse = "; ")

#' @export
format.rside_metrics <- function(x, ...) {
  unlist(Map(metric_lines, x$name, x$title, x$formula, x$undefined, x$source), use.names = FALSE)
}

metric_lines <- function(name, title, formula, undefined, source) {
  wrap <- function(label, text) strwrap(paste0(label, text), width = 78, indent = 2, exdent = 4)
  c(
    paste0(name, ": ", title), wrap("= ", formula), wrap("undefined: ", undefined),
    wrap("source: ", source)
  )
}

#' @export
print.rside_metrics <- function(x, ...) print_lines(x)
