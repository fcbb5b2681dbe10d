#' Results as data frames
#'
#' Every result of rside has `tidy()`, one row per number with broom's column
#' names, and `glance()`, one row for the whole; `summary()` is `tidy()`, and
#' `print()` and `format()` give the text.
#'
#' @param x,object A result of rside: of [validate()], [confusion()],
#'   [roc_curve()] and the others.
#' @param ... Not used.
#' @return A data frame. `tidy()` of numbers has the columns `term` (the
#'   metric's name in [metrics()]), `estimator`, `class`, `estimate`,
#'   `std.error`, `conf.low`, `conf.high`, `method` (of the interval) and
#'   `reason` (why something is undefined or left out).
#' @examples
#' path <- system.file("extdata", "preds.csv", package = "rside")
#' report <- validate(path)
#' tidy(report)
#' glance(report)
#' @name results
NULL

#' @importFrom generics tidy
#' @export
generics::tidy

#' @importFrom generics glance
#' @export
generics::glance

#' @importFrom ggplot2 autoplot
#' @export
ggplot2::autoplot

#' @export
print.rside_result <- function(x, ...) print_lines(x)

#' @rdname results
#' @export
summary.rside_result <- function(object, ...) tidy(object)

# Opinions with the column names of broom.
tidy_opinions <- function(opinions) {
  ours <- c("metric", "std_error", "lower", "upper")
  names(opinions)[match(ours, names(opinions))] <- c("term", "std.error", "conf.low", "conf.high")
  rownames(opinions) <- NULL
  opinions
}

# The estimates of the named metrics, one column each.
glance_opinions <- function(opinions, metrics) {
  whole <- opinions[is.na(opinions$class), ]
  as.list(stats::setNames(whole$estimate[match(metrics, whole$metric)], metrics))
}

#' @rdname results
#' @export
tidy.rside_validation <- function(x, ...) tidy_opinions(x$metrics)

#' @rdname results
#' @export
glance.rside_validation <- function(x, ...) {
  data.frame(
    n = x$n, classes = length(x$classes), positive = x$positive %||% NA_character_,
    glance_opinions(x$metrics, c("accuracy", "balanced_accuracy", "mcc", "roc_auc", "brier_score")),
    dropped = x$dropped, conf.level = x$conf_level
  )
}

#' @rdname results
#' @export
tidy.rside_confusion <- function(x, ...) {
  tidy_opinions(if (is.null(x$positive)) rbind(x$overall, x$by_class) else x$overall)
}

#' @rdname results
#' @export
glance.rside_confusion <- function(x, ...) {
  data.frame(
    n = x$n, classes = nrow(x$table), positive = x$positive %||% NA_character_,
    glance_opinions(x$overall, c("accuracy", "no_information_rate", "cohen_kappa", "mcc")),
    conf.level = x$conf_level
  )
}

#' @rdname results
#' @export
tidy.rside_auc <- function(x, ...) {
  tidy_opinions(fitted_auc(c(list(auc = x$estimate), unclass(x))))
}

#' @rdname results
#' @export
glance.rside_auc <- function(x, ...) {
  data.frame(
    n = sum(x$counts), positives = x$counts[[x$positive]], positive = x$positive,
    roc_auc = x$estimate, conf.level = x$conf_level
  )
}

#' @rdname results
#' @export
tidy.rside_roc <- function(x, ...) x$curve

#' @rdname results
#' @export
glance.rside_roc <- function(x, ...) {
  data.frame(
    n = sum(x$counts), positives = x$counts[[x$positive]], positive = x$positive, roc_auc = x$auc,
    conf.low = x$lower, conf.high = x$upper, conf.level = x$conf_level
  )
}

#' @rdname results
#' @export
tidy.rside_multiclass_auc <- function(x, ...) tidy_opinions(x$values)

#' @rdname results
#' @export
glance.rside_multiclass_auc <- function(x, ...) {
  means <- x$values$estimate[match(auc_means, x$values$estimator)]
  data.frame(
    n = sum(x$counts), classes = length(x$counts), as.list(stats::setNames(means, auc_means)),
    conf.level = x$conf_level
  )
}
