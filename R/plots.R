#' Plots of results
#'
#' `autoplot()` returns a ggplot object, `plot()` draws it.
#'
#' The ROC curve has equal axes, the line of chance, and its AUC with interval
#' and counts in the subtitle. The confusion matrix has predictions in rows
#' and the truth in columns; a cell holds the count and, up to six classes, the
#' share of its column (of the true class), which is its shade as well.
#'
#' @param object,x What [roc_curve()], [confusion()] or [validate()] returned.
#' @param type Of a validation, what to draw: by default the ROC curve with
#'   two classes and the confusion matrix with more.
#' @param ... Passed on to `autoplot()`, or not used.
#' @return `autoplot()` a ggplot object; `plot()` its argument, invisibly.
#' @examples
#' path <- system.file("extdata", "preds.csv", package = "rside")
#' report <- validate(path)
#' plot(report)
#' plot(report, type = "confusion")
#' @name plots
NULL

# The data pronoun of ggplot2::aes().
utils::globalVariables(".data")

#' @rdname plots
#' @export
autoplot.rside_roc <- function(object, ...) { # nolint: object_name_linter.
  if (is.na(object$auc)) {
    refuse_argument("A ROC curve needs both classes in the truth.", object$reason)
  }
  interval <- format_auc_interval(object$auc, object)
  reason <- if (!is.na(object$reason)) paste0("; ", object$reason)
  n <- format_count(sum(object$counts))
  counts <- paste0("n = ", n, ": ", format_class_counts(object$counts))
  ggplot2::ggplot(
    thinned(object$curve), ggplot2::aes(x = 1 - .data$specificity, y = .data$sensitivity)
  ) +
    ggplot2::geom_abline(linetype = "dashed", colour = "grey50") +
    ggplot2::geom_path(linewidth = 0.8, colour = plot_colour) +
    ggplot2::coord_equal(xlim = c(0, 1), ylim = c(0, 1)) +
    ggplot2::labs(
      title = paste0("ROC curve, positive class '", shown(object$positive), "'"),
      subtitle = paste0("AUC ", interval, reason, "\n", shown(counts)),
      x = "1 - specificity (false positive rate)", y = "Sensitivity (true positive rate)"
    ) +
    plot_theme()
}

#' @rdname plots
#' @export
autoplot.rside_auc <- function(object, ...) { # nolint: object_name_linter.
  refuse_argument("An AUC alone has no picture.", fix = "Draw roc_curve() or roc_band().")
}

#' @rdname plots
#' @export
autoplot.rside_confusion <- function(object, ...) { # nolint: object_name_linter.
  plot_counts(object$table)
}

#' @rdname plots
#' @export
autoplot.rside_validation <- function(object, # nolint: object_name_linter.
                                      type = c("auto", "roc", "confusion"), ...) {
  type <- one_of(type, c("auto", "roc", "confusion"), "type")
  if (type == "auto") type <- if (is.null(object$roc)) "confusion" else "roc"
  if (type == "confusion") {
    return(plot_counts(object$confusion))
  }
  if (is.null(object$roc)) {
    check_two_classes(object$classes)
  }
  autoplot.rside_roc(object$roc)
}

#' @rdname plots
#' @export
plot.rside_result <- function(x, ...) {
  print(ggplot2::autoplot(x, ...))
  invisible(x)
}

plot_counts <- function(counts) {
  cells <- counts_frame(counts)
  classes <- rownames(counts)
  in_truth <- colSums(counts)[cells$truth]
  cells$share <- ifelse(in_truth == 0, 0, cells$n / in_truth)
  cells$text <- cell_text(cells, in_truth, length(classes))
  ggplot2::ggplot(cells, ggplot2::aes(
    x = factor(.data$truth, classes), y = factor(.data$predicted, rev(classes)), fill = .data$share
  )) +
    ggplot2::geom_tile(colour = "grey80") +
    ggplot2::geom_text(
      ggplot2::aes(label = .data$text), size = 4.5 * min(1, 8 / length(classes)),
      colour = ifelse(cells$share > 0.5, "white", "black"), lineheight = 0.9
    ) +
    ggplot2::scale_x_discrete(position = "top", labels = shown) +
    ggplot2::scale_y_discrete(labels = shown) +
    ggplot2::scale_fill_gradient(
      "Share of\nthe true class", low = "white", high = plot_colour, limits = c(0, 1)
    ) +
    ggplot2::coord_equal() +
    ggplot2::labs(
      title = paste0("Confusion matrix, n = ", format_count(sum(counts))),
      subtitle = "Predictions in rows, truth in columns", x = "Truth", y = "Prediction"
    ) +
    plot_theme() +
    ggplot2::theme(
      panel.grid = ggplot2::element_blank(),
      axis.text.x.top = if (length(classes) > 5 || any(nchar(classes) > 10)) {
        ggplot2::element_text(angle = 45, hjust = 0, vjust = 0)
      }
    )
}

# Counts, with the share of the column where there is room; empty cells of a large table stay empty.
cell_text <- function(cells, in_truth, classes) {
  count <- format_count(cells$n)
  if (classes > 40) {
    return(rep("", length(count)))
  }
  if (classes > 6) {
    return(ifelse(cells$n == 0, "", count))
  }
  ifelse(in_truth == 0, count, sprintf("%s\n%.1f%%", count, 100 * cells$share))
}

plot_colour <- "#1b3a5c"

plot_theme <- function() ggplot2::theme_minimal(base_size = 12)

# A class name as one short line.
shown <- function(names) {
  names <- gsub("\n", "\\n", names, fixed = TRUE)
  ifelse(nchar(names) > 60, paste0(substr(names, 1, 57), "..."), names)
}
