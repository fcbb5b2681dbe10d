# A comparison as text and as data frames.

#' @export
as.data.frame.rside_comparison <- function(x, ...) x$differences

#' @rdname results
#' @export
tidy.rside_comparison <- function(x, ...) {
  with(x$differences, data.frame(
    term = metric, estimator = estimator, estimate = difference, estimate1 = a, estimate2 = b,
    std.error = std_error, statistic = statistic, p.value = p_value, parameter = df,
    conf.low = lower, conf.high = upper, method = method, reason = reason,
    stringsAsFactors = FALSE
  ))
}

#' @rdname results
#' @export
glance.rside_comparison <- function(x, ...) {
  of <- function(metric) x$differences$difference[match(metric, x$differences$metric)]
  data.frame(
    n = x$n[["a"]], n2 = x$n[["b"]], paired = x$paired, classes = length(x$classes),
    positive = x$positive %||% NA_character_, accuracy = of("accuracy"), roc_auc = of("roc_auc"),
    brier_score = of("brier_score"), p.value = x$tests$p_value[[1]], conf.level = x$conf_level
  )
}

#' @export
format.rside_comparison <- function(x, ...) {
  c(
    paste0("<comparison of two models: ", format_matched(x), ">"),
    if (!identical(x$names, c("a", "b"))) paste0(c("a: ", "b: "), quoted(shown(x$names))),
    if (!is.null(x$positive)) paste0("positive class: '", x$positive, "'"),
    "",
    format_differences(x$differences, x$conf_level),
    "",
    "tests of equal accuracy",
    format_tests(x$tests),
    if (nrow(x$notes) > 0) c("", "notes", strwrap(x$notes$text, 78, indent = 2, exdent = 4))
  )
}

format_matched <- function(x) {
  switch(x$matched,
    none = paste(
      count_of(x$n[["a"]], "row"), "and", count_of(x$n[["b"]], "row"), "that are not paired"
    ),
    paste0(count_of(x$n[["a"]], "row"), ", matched by ", x$matched)
  )
}

# A single estimator needs no name.
difference_label <- function(differences) {
  several <- duplicated(differences$metric) | duplicated(differences$metric, fromLast = TRUE)
  ifelse(
    several | !differences$estimator %in% c("binary", "multiclass"),
    paste0(differences$metric, " (", differences$estimator, ")"), differences$metric
  )
}

format_differences <- function(differences, conf_level) {
  cells <- function(label, a, b, difference, p) {
    # Not formatC(), which counts bytes.
    paste0("  ", format(label, width = 24), paste("", format(a, width = 6), format(b, width = 6),
      format(difference, width = 26), p
    ))
  }
  number <- function(x) ifelse(is.na(x), "NA", sprintf("%.4f", x))
  interval <- with(differences, format_estimate(difference, lower, upper))
  p <- ifelse(is.na(differences$p_value), "NA", format_p(differences$p_value))
  reason <- ifelse(is.na(differences$reason), "", paste0("\n    ", differences$reason))
  c(
    cells("metric", "a", "b", paste0("a - b [", format_percent(conf_level), " interval]"), "p"),
    paste0(
      cells(
        difference_label(differences), number(differences$a), number(differences$b),
        # Aligned at the decimal point.
        ifelse(grepl("^-", interval), interval, paste0(" ", interval)), p
      ),
      reason
    )
  )
}
