#' @section Reliability diagram:
#' For every bin, how often the event happened against the mean score, with
#' Wilson intervals; the diagonal is perfect calibration, and the bars below it
#' say how many scores lie in each fortieth of the axis. With more than two
#' classes there is one panel for each class against the rest, for the nine most
#' frequent ones.
#' @rdname plots
#' @export
autoplot.rside_calibration <- function(object, ...) { # nolint: object_name_linter.
  panels <- calibration_panels(object)
  curve <- panel_rows(object$curve, panels)
  bars <- panel_rows(object$histogram, panels)
  height <- stats::ave(bars$n, bars$panel, FUN = max)
  bars$top <- bar_floor * (1 - 0.85 * bars$n / height)
  ggplot2::ggplot(curve, ggplot2::aes(x = .data$predicted, y = .data$observed)) +
    ggplot2::geom_rect(
      ggplot2::aes(
        xmin = .data$from, xmax = .data$to, ymin = bar_floor, ymax = .data$top
      ),
      data = bars, inherit.aes = FALSE, fill = "grey60", colour = "white", linewidth = 0.2
    ) +
    ggplot2::geom_hline(yintercept = 0, colour = "grey80", linewidth = 0.3) +
    ggplot2::annotate(
      "segment", x = 0, y = 0, xend = 1, yend = 1, linetype = "dashed", colour = "grey50"
    ) +
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = .data$lower, ymax = .data$upper), linewidth = 0.6, colour = plot_colour
    ) +
    ggplot2::geom_line(data = in_lines(curve), linewidth = 0.4, colour = plot_colour) +
    ggplot2::geom_point(size = 2, colour = plot_colour) +
    ggplot2::coord_equal(xlim = c(0, 1), ylim = c(bar_floor, 1)) +
    ggplot2::scale_x_continuous(breaks = c(0, 0.5, 1), labels = c("0", "0.5", "1")) +
    ggplot2::scale_y_continuous(breaks = seq(0, 1, 0.25), minor_breaks = NULL) +
    ggplot2::labs(
      title = calibration_title(object), subtitle = calibration_subtitle(object, panels),
      x = "Predicted probability", y = "Observed share"
    ) +
    (if (nrow(panels) > 1) ggplot2::facet_wrap("panel")) +
    plot_theme()
}

# The bars lie below the diagram, down to here.
bar_floor <- -0.2

most_panels <- 9

# The events that are drawn, each with the label of its panel: of many classes the most frequent.
calibration_panels <- function(object) {
  if (!is.null(object$positive)) {
    return(data.frame(estimator = "binary", class = NA_character_, panel = ""))
  }
  frequent <- utils::head(order(-object$counts), most_panels)
  classes <- object$classes[sort(frequent)]
  slopes <- object$values[object$values$metric == "calibration_slope", ]
  label <- paste0(
    panel_name(classes), ", n = ", format_count(object$counts[classes]), "\nslope ",
    panel_number(slopes[match(classes, slopes$class), ])
  )
  data.frame(
    estimator = "one_vs_rest", class = classes, panel = factor(label, unique(label)),
    stringsAsFactors = FALSE
  )
}

panel_rows <- function(rows, panels) {
  key <- function(frame) paste(frame$estimator, frame$class)
  at <- match(key(rows), key(panels))
  rows <- rows[!is.na(at), ]
  rows$panel <- panels$panel[at[!is.na(at)]]
  rows
}

# One point is no line.
in_lines <- function(curve) curve[stats::ave(curve$bin, curve$panel, FUN = length) > 1, ]

panel_name <- function(names) {
  names <- shown(names)
  ifelse(nchar(names) > 24, paste0(substr(names, 1, 21), "..."), names)
}

panel_number <- function(opinions) {
  with(opinions, ifelse(
    is.na(estimate), "undefined",
    paste0(
      sprintf("%.2f", estimate), ifelse(is.na(lower), "", sprintf(" [%.2f, %.2f]", lower, upper))
    )
  ))
}

calibration_title <- function(object) {
  if (is.null(object$positive)) {
    return("Calibration of each class against the rest")
  }
  paste0("Calibration, positive class '", shown(object$positive), "'")
}

calibration_subtitle <- function(object, panels) {
  whole <- object$values[is.na(object$values$class), ]
  number <- function(metric, label) {
    found <- whole[match(metric, whole$metric), ]
    paste0(
      label, " ", format_estimate(found$estimate, found$lower, found$upper),
      if (!is.na(found$lower)) paste0(" (", format_percent(object$conf_level), ")")
    )
  }
  error <- number("expected_calibration_error", if (is.null(object$positive)) {
    "Expected calibration error of the decision"
  } else {
    "Expected calibration error"
  })
  left <- length(object$classes) - nrow(panels)
  paste(c(
    error, if (!is.null(object$positive)) number("calibration_slope", "Slope"),
    paste0(
      "n = ", format_count(object$n),
      if (!is.null(object$positive)) paste0(": ", shown(format_class_counts(object$counts))),
      "; ", format_binning(object)
    ),
    if (is.null(object$positive) && left > 0) {
      paste("the", nrow(panels), "most frequent of", length(object$classes), "classes")
    }
  ), collapse = "\n")
}
