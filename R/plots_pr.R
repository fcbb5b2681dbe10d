#' @section Precision-recall curve:
#' Drawn in steps, so that the area below it is the average precision, with the
#' prevalence as a dashed line.
#' @rdname plots
#' @export
autoplot.rside_pr <- function(object, ...) { # nolint: object_name_linter.
  if (nrow(object$curve) == 0) {
    refuse_argument(
      "A precision-recall curve needs the positive class in the truth.", object$values$reason[[1]]
    )
  }
  area <- object$values[object$values$metric == "average_precision", ]
  interval <- format_auc_interval(area$estimate, c(area, object["conf_level"]))
  ggplot2::ggplot(step_points(object$curve), ggplot2::aes(x = .data$recall, y = .data$precision)) +
    ggplot2::geom_hline(yintercept = object$prevalence, linetype = "dashed", colour = "grey50") +
    ggplot2::annotate(
      "text", x = 0.01, y = object$prevalence, hjust = 0,
      # Within the frame, below the line wherever there is room.
      vjust = if (object$prevalence < 0.1) -0.6 else 1.6, size = 3.5, colour = "grey30",
      label = sprintf("prevalence %.4f", object$prevalence)
    ) +
    ggplot2::geom_step(direction = "vh", linewidth = 0.8, colour = plot_colour) +
    ggplot2::coord_equal(xlim = c(0, 1), ylim = c(0, 1)) +
    ggplot2::labs(
      title = paste0("Precision-recall curve, positive class '", shown(object$positive), "'"),
      subtitle = curve_subtitle("Average precision", interval, area$reason, object$counts),
      x = "Recall (sensitivity)", y = "Precision (positive predictive value)"
    ) +
    plot_theme()
}

# A precision holds for the recall that its threshold gains.
step_points <- function(curve, points = 2000) {
  rows <- unique(round(seq(1, nrow(curve), length.out = min(points, nrow(curve)))))
  rbind(
    data.frame(recall = 0, precision = curve$precision[[1]]), curve[rows, c("recall", "precision")]
  )
}

# The number, why it lacks something, and the counts, one line each.
curve_subtitle <- function(name, interval, reason, counts) {
  lines <- c(paste(name, interval), if (!is.na(reason)) reason, count_line(counts))
  paste(lines, collapse = "\n")
}
