#' Plot the scores
#'
#' With two classes, the scores of the positive class by the true class: the
#' positives upwards, the negatives downwards, each as shares of its own class,
#' and the threshold where the table's decision follows from one. With more
#' classes, for each true class the scores that it was given itself, and a
#' dashed line at 1 / K, what each of K classes gets from a score that knows
#' nothing.
#'
#' A bar holds the scores from its left edge up to, but not including, its right
#' edge; the last holds 1 as well. With case weights, shares are of their sum.
#'
#' @inheritParams confusion
#' @return A ggplot object.
#' @inheritSection as_predictions Errors
#' @seealso [operating_points()] for thresholds, [roc_curve()].
#' @examples
#' plot_scores(system.file("extdata", "preds.csv", package = "rside"))
#' @export
plot_scores <- function(predictions, positive = NULL) {
  predictions <- predictions_of(predictions, positive)
  known <- facts(predictions)
  truth <- as.integer(predictions$true_label)
  weights <- weights_of(predictions)
  counts <- stats::setNames(tabulate(truth, length(known$classes)), known$classes)
  if (is.null(known$positive)) {
    own <- probabilities_of(predictions)[cbind(seq_along(truth), truth)]
    return(plot_own_scores(score_bars(own, predictions$true_label, weights), counts))
  }
  bars <- score_bars(score_of(predictions, known$positive), predictions$true_label, weights)
  plot_two_scores(bars, counts, known, "pred_label" %in% names(predictions))
}

bar_width <- 1 / 40

# The share of each class in each bar that is not empty.
score_bars <- function(score, truth, weights) {
  # A score such as 0.3 lies in the bar that starts there, though 0.3 / bar_width is below 12.
  bar <- pmin(floor(score / bar_width + 1e-9), 1 / bar_width - 1)
  bars <- stats::aggregate(list(weight = weights), list(bar = bar, class = truth), sum)
  bars$share <- bars$weight / tapply(weights, truth, sum)[as.character(bars$class)]
  data.frame(class = bars$class, left = bars$bar * bar_width, share = as.numeric(bars$share))
}

plot_two_scores <- function(bars, counts, known, decided) {
  negative <- setdiff(known$classes, known$positive)
  counts <- counts[c(negative, known$positive)]
  is_positive <- bars$class == known$positive
  bars$end <- ifelse(is_positive, bars$share, -bars$share)
  # A stated decision need not follow from the threshold.
  threshold <- if (!decided) known$threshold
  top <- max(bars$share)
  ggplot2::ggplot(bars) +
    ggplot2::geom_rect(
      ggplot2::aes(
        xmin = .data$left, xmax = .data$left + bar_width, ymin = pmin(.data$end, 0),
        ymax = pmax(.data$end, 0)
      ),
      fill = ifelse(is_positive, plot_colour, "grey70"), colour = "white", linewidth = 0.2
    ) +
    ggplot2::geom_hline(yintercept = 0, colour = "grey30") +
    ggplot2::geom_vline(xintercept = threshold, linetype = "dashed") +
    ggplot2::annotate(
      "text", x = 0, y = c(-1.12, 1.12) * top, hjust = 0,
      label = paste0("true class '", shown(names(counts)), "'")
    ) +
    ggplot2::scale_x_continuous(limits = c(0, 1), breaks = seq(0, 1, 0.25)) +
    ggplot2::scale_y_continuous(labels = function(y) format_percent(abs(y))) +
    ggplot2::labs(
      title = paste0("Scores of class '", shown(known$positive), "'"),
      subtitle = paste0(
        class_subtitle(counts),
        if (!is.null(threshold)) {
          paste0("\ndashed: positive from ", format_number(threshold), " on")
        }
      ),
      x = paste0("Score of class '", shown(known$positive), "'"), y = "Share of the true class"
    ) +
    plot_theme()
}

# One row of bars per class, the first on top.
plot_own_scores <- function(bars, counts) {
  classes <- names(counts)
  row <- length(classes) - match(bars$class, classes)
  labels <- paste0(shown(classes), " (n = ", format_count(counts), ")")
  ggplot2::ggplot(bars) +
    ggplot2::geom_hline(yintercept = seq_along(classes) - 1, colour = "grey80") +
    ggplot2::geom_vline(xintercept = 1 / length(classes), linetype = "dashed", colour = "grey50") +
    ggplot2::geom_rect(
      ggplot2::aes(
        xmin = .data$left, xmax = .data$left + bar_width, ymin = row,
        ymax = row + 0.9 * .data$share / max(.data$share)
      ),
      fill = plot_colour
    ) +
    ggplot2::scale_x_continuous(limits = c(0, 1), breaks = seq(0, 1, 0.25)) +
    ggplot2::scale_y_continuous(breaks = seq_along(classes) - 1, labels = rev(labels)) +
    ggplot2::labs(
      title = "Scores of the true class",
      subtitle = paste0(
        "n = ", format_count(sum(counts)), "; the highest bar holds ",
        format_percent(signif(max(bars$share), 3)), " of its class; dashed: 1 / ", length(classes)
      ),
      x = "Score of the true class", y = NULL
    ) +
    plot_theme() +
    ggplot2::theme(
      panel.grid.minor = ggplot2::element_blank(), panel.grid.major.y = ggplot2::element_blank(),
      axis.text.y = ggplot2::element_text(size = ggplot2::rel(min(1, 25 / length(classes))))
    )
}

class_subtitle <- function(counts) {
  names(counts) <- shown(names(counts))
  text <- paste0("n = ", format_count(sum(counts)), ": ", format_class_counts(counts))
  if (nchar(text) > 60) sub("', ", "',\n", text, fixed = TRUE) else text
}

#' @rdname plots
#' @export
autoplot.rside_operating_points <- function(object, ...) { # nolint: object_name_linter.
  if (is.null(object$curve)) {
    refuse_argument(
      "A ROC curve needs both classes in the truth.",
      only_in_truth(names(object$counts)[object$counts > 0])
    )
  }
  marks <- point_marks(object)
  span <- function(data, x, xend, y, yend) {
    ggplot2::geom_segment(
      data = data, colour = "grey40",
      ggplot2::aes(
        x = 1 - .data[[x]], xend = 1 - .data[[xend]], y = .data[[y]], yend = .data[[yend]]
      )
    )
  }
  ggplot2::ggplot(marks, ggplot2::aes(x = 1 - .data$specificity, y = .data$sensitivity)) +
    ggplot2::geom_abline(linetype = "dashed", colour = "grey50") +
    ggplot2::geom_segment(
      ggplot2::aes(xend = .data$label_x, yend = .data$label_y), colour = "grey60",
      linetype = "dotted"
    ) +
    ggplot2::geom_path(data = thinned(object$curve), linewidth = 0.8, colour = plot_colour) +
    span(marks, "specificity_lower", "specificity_upper", "sensitivity", "sensitivity") +
    span(marks, "specificity", "specificity", "sensitivity_lower", "sensitivity_upper") +
    ggplot2::geom_point(size = 2.5, shape = 21, fill = "white", stroke = 1.2) +
    ggplot2::geom_label(
      ggplot2::aes(x = .data$label_x, y = .data$label_y, label = .data$label),
      hjust = 0, size = 3, lineheight = 0.9
    ) +
    ggplot2::coord_equal(xlim = c(0, 1), ylim = c(0, 1)) +
    ggplot2::labs(
      title = paste0("Operating points, positive class '", shown(object$positive), "'"),
      subtitle = paste0(
        class_subtitle(object$counts), "\nbars: ", format_percent(object$conf_level),
        " intervals for the threshold as it stands"
      ),
      x = "1 - specificity (false positive rate)", y = "Sensitivity (true positive rate)"
    ) +
    plot_theme()
}

# One mark per point, which several rules may share. Labels stand below the curve of a good score,
# in the order of their points, so that their lines do not cross.
point_marks <- function(object) {
  points <- object$points
  marks <- points[!duplicated(points$threshold), "threshold", drop = FALSE]
  for (metric in c("sensitivity", "specificity")) {
    of_metric <- object$values[object$values$metric == metric, ]
    found <- of_metric[!duplicated(points$threshold), c("estimate", "lower", "upper")]
    marks[paste0(metric, c("", "_lower", "_upper"))] <- found
  }
  marks <- marks[order(marks$threshold, decreasing = TRUE), ]
  rules <- lapply(marks$threshold, function(threshold) points$rule[points$threshold == threshold])
  score <- format_number(signif(marks$threshold, 4))
  marks$label <- paste0(vapply(rules, paste, "", collapse = "\n"), "\nscore >= ", score)
  lines <- lengths(rules) + 2
  marks$label_x <- 0.55
  marks$label_y <- (cumsum(lines) - lines / 2) * min(0.04, 1 / sum(lines))
  marks
}
