#' Errors of rside
#'
#' Every error that rside raises on purpose inherits from `rside_error`, and
#' says what must hold, what was found, and what to do.
#'
#' A prediction table that breaks the contract raises
#' `rside_error_<check>`, which inherits from `rside_error_contract`; the field
#' `check` of the condition holds the name of the check. An argument that
#' cannot be used raises `rside_error_argument`.
#'
#' @examples
#' table <- data.frame(
#'   true_label = c("cat", "wolf"),
#'   pred_prob_cat = c(0.75, 0.5),
#'   pred_prob_dog = c(0.25, 0.5)
#' )
#' tryCatch(
#'   as_predictions(table),
#'   rside_error_unknown_class = function(e) cat(conditionMessage(e), "\n")
#' )
#' @name rside_error
NULL

rows_shown <- 5L

# In base R since 4.4.
`%||%` <- function(x, y) if (is.null(x)) y else x

# The condition is made by hand, not by cli_abort(): a class may be named
# "{x}", and a message must come whole, neither interpolated nor wrapped.
raise <- function(class, must, found = NULL, fix = NULL, ...) {
  bullets <- c(
    must,
    if (!is.null(found)) paste(cli::symbol$cross, found),
    if (!is.null(fix)) paste(cli::symbol$info, fix)
  )
  stop(structure(
    list(message = paste(bullets, collapse = "\n"), call = NULL, ...),
    class = c(class, "rside_error", "error", "condition")
  ))
}

refuse <- function(check, must, found = NULL, fix = NULL) {
  classes <- c(paste0("rside_error_", check), "rside_error_contract")
  raise(classes, must, found, fix, check = check)
}

refuse_argument <- function(must, found = NULL, fix = NULL) {
  raise("rside_error_argument", must, found, fix)
}

list_rows <- function(rows) enumerate("row", format_count(rows))

list_names <- function(kind, names) enumerate(kind, quoted(names))

list_values <- function(values) shorten_list(quoted(unique(values)))

quoted <- function(names) paste0("'", names, "'")

format_count <- function(count) format(count, scientific = FALSE, trim = TRUE)

enumerate <- function(kind, items) {
  plural <- if (length(items) == 1) "" else if (endsWith(kind, "s")) "es" else "s"
  paste0(kind, plural, " ", shorten_list(items))
}

shorten_list <- function(items) {
  more <- length(items) - rows_shown
  shown <- paste(utils::head(items, rows_shown), collapse = ", ")
  if (more > 0) paste(shown, "and", more, "more") else shown
}
