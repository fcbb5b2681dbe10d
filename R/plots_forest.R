# Forest plots: one number of many slices or classes, each in a row of its own.

#' @param metric Of slices, which number to draw, by its name in [metrics()]; by
#'   default the first that can be ranked.
#' @param estimator,class Of slices, which of the rows of that metric: by
#'   default the first; `class` picks that of a class against the rest.
#' @details
#' A forest plot has a row for every slice (or class), with its number, interval
#' and rows. Of slices the worst is first, the dashed line is the whole table's
#' number, and a slice of few rows is hollow and below the others; at most 40
#' slices of a group are drawn. A cross is a number without an interval; beside
#' it, and where a number is undefined, stands the reason.
#' @rdname plots
#' @export
autoplot.rside_slices <- function(object, # nolint: object_name_linter.
                                  metric = NULL, estimator = NULL, class = NULL, ...) {
  number <- if (is.null(metric)) {
    leading_number(object)
  } else {
    chosen_number(object$overall, metric, estimator, class)
  }
  rows <- ranked_slices(object, number)
  whole <- object$overall[is_number_of(object$overall, number), ]
  # By group, the small ones last: the first are kept.
  place <- stats::ave(seq_len(nrow(rows)), match(rows$group, rows$group), FUN = seq_along)
  more <- sum(place > forest_rows)
  rows <- rows[place <= forest_rows, ]
  rows$panel <- shorten(rows$group, 30)
  about <- c(
    paste0(
      "The whole table (dashed): ", format_estimate(whole$estimate, whole$lower, whole$upper),
      ", n = ", format_count(object$n)
    ),
    interval_line(rows, object$conf_level),
    if (any(rows$small)) paste("Hollow: fewer than", object$minimum, "rows"),
    if (more > 0) paste("Not shown:", format_count(more), "more")
  )
  plot_forest(rows, paste(number_title(number), "by group"), about, number$metric, whole$estimate)
}

#' @rdname plots
#' @export
autoplot.rside_multiclass_auc <- function(object, ...) { # nolint: object_name_linter.
  rows <- object$values
  is_mean <- is.na(rows$class)
  rows$panel <- ifelse(is_mean, "means", "classes")
  rows$label <- ifelse(is_mean, rows$estimator, quoted(rows$class))
  rows$n <- ifelse(is_mean, sum(object$counts), object$counts[rows$class])
  rows$small <- FALSE
  about <- c(
    interval_line(rows, object$conf_level),
    "A class is taken against all others; its n are its rows in the truth"
  )
  plot_forest(rows, "AUC of several classes", about, "roc_auc")
}

forest_rows <- 40L

chosen_number <- function(overall, metric, estimator, class) {
  fits <- function(column, asked) {
    if (is.null(asked)) rep(TRUE, nrow(overall)) else overall[[column]] %in% asked
  }
  found <- overall[
    fits("metric", metric) & fits("estimator", estimator) & fits("class", class),
  ]
  if (nrow(found) == 0) {
    refuse_argument(
      "`metric`, `estimator` and `class` must name a number of the slices.",
      paste("Not so:", list_values(c(metric, estimator, class))),
      paste0("There are ", paste(unique(number_name(overall)), collapse = ", "))
    )
  }
  found[1, ]
}

number_title <- function(number) shown(number_name(number))

interval_line <- function(rows, conf_level) {
  methods <- unique(rows$method[!is.na(rows$method)])
  if (length(methods) > 0) {
    paste0("Intervals: ", format_percent(conf_level), ", ", paste(methods, collapse = ", "))
  }
}

# `rows`, from the top: `panel`, `label`, `n`, `estimate`, `lower`, `upper`, `reason`, `small`.
plot_forest <- function(rows, title, about, x, reference = NULL) {
  rows$y <- -seq_len(nrow(rows))
  rows$panel <- factor(rows$panel, unique(rows$panel))
  rows$mark <- ifelse(is.na(rows$lower), "no interval", ifelse(rows$small, "small", "other"))
  rows$text <- format_estimate(rows$estimate, rows$lower, rows$upper)
  numbers <- c(rows$estimate, rows$lower, rows$upper, reference)
  ends <- if (all(is.na(numbers))) c(0, 1) else range(numbers, na.rm = TRUE)
  axis <- function(labels, ...) {
    ggplot2::scale_y_continuous(
      breaks = rows$y, labels = labels, expand = ggplot2::expansion(add = 0.6), ...
    )
  }
  ggplot2::ggplot(rows, ggplot2::aes(x = .data$estimate, y = .data$y)) +
    reference_line(reference) +
    ggplot2::geom_linerange(
      ggplot2::aes(xmin = .data$lower, xmax = .data$upper), orientation = "y", na.rm = TRUE,
      linewidth = 0.7, colour = plot_colour
    ) +
    ggplot2::geom_point(
      ggplot2::aes(shape = .data$mark), size = 2.8, colour = plot_colour, fill = "white",
      na.rm = TRUE
    ) +
    reason_text(rows[is.na(rows$lower) & !is.na(rows$reason), ], ends) +
    ggplot2::expand_limits(x = ends) +
    ggplot2::scale_shape_manual(
      values = c("no interval" = 4, small = 21, other = 16), guide = "none"
    ) +
    axis(
      paste0(shorten(rows$label, 32), "  (n = ", format_count(rows$n), ")"),
      sec.axis = ggplot2::dup_axis(labels = rows$text)
    ) +
    ggplot2::facet_grid(
      rows = ggplot2::vars(.data$panel), scales = "free_y", space = "free_y", switch = "y"
    ) +
    ggplot2::labs(title = title, subtitle = paste(about, collapse = "\n"), x = x, y = NULL) +
    plot_theme() +
    ggplot2::theme(
      panel.grid.major.y = ggplot2::element_blank(), panel.grid.minor = ggplot2::element_blank(),
      strip.placement = "outside", strip.text.y.left = ggplot2::element_text(angle = 90),
      axis.text.y.right = ggplot2::element_text(family = "mono", size = ggplot2::rel(0.85)),
      plot.title.position = "plot"
    )
}

reference_line <- function(reference) {
  if (!is.null(reference) && !is.na(reference)) {
    ggplot2::geom_vline(xintercept = reference, linetype = "dashed", colour = "grey50")
  }
}

# Below its cross, or where that would be, and so placed that it stays inside.
reason_text <- function(rows, ends) {
  undefined <- is.na(rows$estimate)
  rows$estimate[undefined] <- ends[[1]]
  ggplot2::geom_text(
    ggplot2::aes(label = shown(.data$reason)), data = rows, size = 2.8, colour = "grey30",
    vjust = ifelse(undefined, 0.5, 1.6),
    hjust = if (diff(ends) > 0) (rows$estimate - ends[[1]]) / diff(ends) else 0.5
  )
}
