# What crosses the bridge of a result: lists, data frames and vectors, without classes of our own,
# under the names that the help pages give them.

payload <- function(x) UseMethod("payload")

#' @export
payload.rside_validation <- function(x) {
  x$confusion <- counts_frame(x$confusion)
  if (!is.null(x$roc)) x$roc <- payload(x$roc)
  x$versions <- as.list(x$versions)
  # Python knows more of it.
  x$source <- NULL
  unclass(x)
}

#' @export
payload.rside_confusion <- function(x) {
  x$table <- counts_frame(x$table)
  unclass(x)
}

#' @export
payload.rside_roc <- function(x) with_counts(x, c("sensitivity", "specificity"))

#' @export
payload.rside_auc <- function(x) with_counts(x)

#' @export
payload.rside_multiclass_auc <- payload.rside_auc

#' @export
payload.rside_partial_auc <- function(x) {
  x$bounds <- as.list(x$bounds)
  payload.rside_roc(x)
}

#' @export
payload.rside_roc_band <- payload.rside_roc

#' @export
payload.rside_operating_points <- payload.rside_roc

#' @export
payload.rside_pr <- function(x) with_counts(x, c("recall", "precision"))

#' @export
payload.rside_calibration <- payload.rside_auc

#' @export
payload.rside_comparison <- function(x) {
  x["roc"] <- list(if (!is.null(x$roc)) lapply(x$roc, payload))
  x$n <- as.list(x$n)
  unclass(x)
}

#' @export
payload.rside_slices <- function(x) unclass(x)

#' @export
payload.rside_metrics <- function(x) {
  class(x) <- "data.frame"
  x
}

#' @export
payload.rside_methods <- function(x) {
  list(
    text = x$text, marked = x$marked, references = reference_lines(x$references),
    bibtex = paste(utils::toBibtex(x$references), collapse = "\n")
  )
}

# A named vector would lose its names; a curve of as many points as rows is long.
with_counts <- function(x, axes = NULL) {
  if (!is.null(axes) && !is.null(x$curve)) x$curve <- thinned(x$curve, axes)
  x$counts <- as.list(x$counts)
  unclass(x)
}

# Enough points for a picture: the corners of the curve, evenly spread, and both ends.
thinned <- function(curve, axes = c("sensitivity", "specificity"), points = 1000) {
  n <- nrow(curve)
  if (n <= points) {
    return(curve)
  }
  inner <- 2:(n - 1)
  turns <- lapply(curve[axes], function(along) diff(sign(diff(along))) != 0)
  kept <- unique(c(1, inner[Reduce(`|`, turns)], n))
  if (length(kept) > points) {
    kept <- kept[unique(round(seq(1, length(kept), length.out = points)))]
  }
  thin <- curve[kept, ]
  rownames(thin) <- NULL
  thin
}
