# How slices are shown.

#' @export
as.data.frame.rside_slices <- function(x, ...) x$values

#' @rdname results
#' @export
tidy.rside_slices <- function(x, ...) tidy_opinions(x$values)

#' @rdname results
#' @export
glance.rside_slices <- function(x, ...) {
  p_adjusted <- x$homogeneity$p_adjusted
  p_adjusted <- p_adjusted[!is.na(p_adjusted)]
  data.frame(
    n = x$n, groups = length(x$by), slices = nrow(unique(x$values[c("group", "level")])),
    small = nrow(x$small), tests = length(p_adjusted),
    p.value = if (length(p_adjusted) > 0) min(p_adjusted) else NA_real_,
    conf.level = x$conf_level
  )
}

#' @export
format.rside_slices <- function(x, ...) {
  c(
    paste0("<slices: ", count_of(x$n, "row"), ", ", count_of(length(x$by), "group"), ">"),
    if (!is.null(x$positive)) paste0("positive class: '", x$positive, "'"),
    if (x$weighted) "rows count by their weight",
    unlist(lapply(names(x$by), function(group) {
      c("", format_slices(x, group), "", format_worst(x, group))
    })),
    if (nrow(x$small) > 0) {
      c("", paste0("* fewer than ", x$minimum, " rows: neither ranked nor tested"))
    },
    format_warning(x$warning)
  )
}

slices_shown <- 20L

# One number of every slice: the first that can be ranked.
format_slices <- function(x, group) {
  rows <- ranked_slices(x, leading_number(x), group)
  shown <- utils::head(rows, slices_shown)
  c(
    paste0("by '", shorten(group, 40), "', ", count_of(nrow(rows), "slice"), ", the worst first"),
    paste0(
      "  ", formatC("slice", width = -30), formatC("rows", width = 10), "  ",
      number_name(shown)[[1]], ", ", format_percent(x$conf_level), " interval"
    ),
    paste0(
      "  ", formatC(paste0(shorten(shown$label, 28), ifelse(shown$small, " *", "")), width = -30),
      formatC(format_count(shown$n), width = 10), "  ",
      format_estimate(shown$estimate, shown$lower, shown$upper),
      ifelse(is.na(shown$reason), "", paste0("\n    ", shown$reason))
    ),
    if (nrow(rows) > slices_shown) paste("  and", format_count(nrow(rows) - slices_shown), "more")
  )
}

# The numbers about the whole table: those of single classes are in the data frames.
format_worst <- function(x, group) {
  here <- function(rows) rows[rows$group == group & is.na(rows$class), ]
  worst <- here(x$worst)
  if (nrow(worst) == 0) {
    return(paste("  no worst slice: none has", x$minimum, "rows"))
  }
  tests <- here(x$homogeneity)
  p_adjusted <- tests$p_adjusted[match(number_name(worst), number_name(tests))]
  line <- function(number, slice, estimate, overall, p) {
    paste0(
      "  ", formatC(shorten(number, 30), width = -31), formatC(shorten(slice, 16), width = -17),
      formatC(estimate, width = 9), formatC(overall, width = 9), formatC(p, width = 11)
    )
  }
  c(
    line("metric (estimator)", "the worst slice", "there", "overall", "p (Holm)"),
    line(
      number_name(worst), slice_text(worst$level, length(x$by[[group]]) > 1),
      sprintf("%.4f", worst$estimate), sprintf("%.4f", worst$overall), format_p(p_adjusted)
    )
  )
}

number_name <- function(rows) {
  of_class <- ifelse(is.na(rows$class), rows$estimator, quoted(rows$class))
  paste0(rows$metric, " (", of_class, ")")
}

leading_number <- function(x) {
  if (nrow(x$homogeneity) == 0) x$overall[1, ] else x$homogeneity[1, ]
}

# The rows of one number, by default of all groups: in each the worst slice first, small ones last.
ranked_slices <- function(x, number, group = names(x$by)) {
  rows <- x$values[is_number_of(x$values, number) & x$values$group %in% group, ]
  rows$small <- rows$n < x$minimum
  rows$label <- slice_text(rows$level, lengths(x$by[rows$group]) > 1)
  ranked <- order(match(rows$group, group), rows$small, -badness(rows, metrics()))
  rows[ranked, ]
}

is_number_of <- function(values, number) {
  values$metric == number$metric & values$estimator == number$estimator &
    values$class %in% number$class
}

# Crossed levels are in quotes already.
slice_text <- function(level, is_crossed) {
  text <- level_text(level)
  text[is_crossed] <- level[is_crossed]
  text
}

shorten <- function(text, width) {
  text <- gsub("\n", "\\n", text, fixed = TRUE)
  ifelse(nchar(text) > width, paste0(substr(text, 1, width - 3), "..."), text)
}
