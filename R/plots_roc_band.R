#' @section Parts and bands of a ROC curve:
#' A band is drawn around the curve where there are intervals; it holds
#' pointwise. Of a partial AUC the area is shaded.
#' @rdname plots
#' @export
autoplot.rside_roc_band <- function(object, ...) { # nolint: object_name_linter.
  band <- paste0("Pointwise ", format_percent(object$conf_level), " band of the ", object$of)
  method <- stats::na.omit(object$values$method)
  how <- if (length(method) > 0) method[[1]] else "no interval"
  roc_canvas(object, band_layer(object)) +
    ggplot2::labs(subtitle = curve_subtitle(paste0(band, ","), how, NA, object$counts))
}

#' @rdname plots
#' @export
autoplot.rside_partial_auc <- function(object, ...) { # nolint: object_name_linter.
  area <- object$values[1, ]
  interval <- format_auc_interval(area$estimate, c(area, object["conf_level"]))
  value <- paste0(interval, "\n", format_range(object))
  roc_canvas(object, area_layer(object)) +
    ggplot2::labs(subtitle = curve_subtitle("Partial AUC", value, area$reason, object$counts))
}

# The curve and the line of chance, with a layer below them.
roc_canvas <- function(object, layer) {
  if (nrow(object$curve) == 0) {
    refuse_argument("A ROC curve needs both classes in the truth.", object$values$reason[[1]])
  }
  ggplot2::ggplot(
    thinned(object$curve), ggplot2::aes(x = 1 - .data$specificity, y = .data$sensitivity)
  ) +
    layer +
    ggplot2::geom_abline(linetype = "dashed", colour = "grey50") +
    ggplot2::geom_path(linewidth = 0.8, colour = plot_colour) +
    ggplot2::coord_equal(xlim = c(0, 1), ylim = c(0, 1)) +
    ggplot2::labs(
      title = paste0("ROC curve, positive class '", shown(object$positive), "'"),
      x = "1 - specificity (false positive rate)", y = "Sensitivity (true positive rate)"
    ) +
    plot_theme()
}

# The intervals at the fixed values, and a ribbon through neighbours that both have one.
band_layer <- function(object) {
  if (all(is.na(object$values$lower))) {
    return(NULL)
  }
  sides <- if (object$of == "sensitivity") {
    ggplot2::aes(x = 1 - .data$specificity, ymin = .data$lower, ymax = .data$upper)
  } else {
    ggplot2::aes(y = .data$sensitivity, xmin = 1 - .data$upper, xmax = 1 - .data$lower)
  }
  orientation <- if (object$of == "sensitivity") "x" else "y"
  list(
    ggplot2::geom_ribbon(
      sides, object$values, inherit.aes = FALSE, fill = "grey85", orientation = orientation
    ),
    ggplot2::geom_linerange(
      sides, object$values, inherit.aes = FALSE, colour = "grey65", orientation = orientation,
      na.rm = TRUE
    )
  )
}

area_layer <- function(object) {
  ggplot2::geom_polygon(
    ggplot2::aes(x = 1 - .data$specificity, y = .data$sensitivity), shaded_area(object),
    inherit.aes = FALSE, fill = "grey85"
  )
}

# The corners of the area: the curve within the range, and its foot on the axis from which it is
# measured.
shaded_area <- function(object) {
  fixed <- object$focus
  other <- fixed_of(fixed)
  points <- object$curve[order(object$curve[[fixed]], -object$curve[[other]]), ]
  ends <- stats::setNames(
    data.frame(object$range, curve_heights(object$curve, other, object$range)), c(fixed, other)
  )
  inside <- points[points[[fixed]] > object$range[[1]] & points[[fixed]] < object$range[[2]], ]
  foot <- stats::setNames(data.frame(rev(object$range), 0), c(fixed, other))
  columns <- c(fixed, other)
  rbind(ends[1, columns], inside[columns], ends[2, columns], foot)
}
