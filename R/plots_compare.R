#' @rdname plots
#' @export
autoplot.rside_comparison <- function(object, # nolint: object_name_linter.
                                      type = c("differences", "roc"), ...) {
  type <- one_of(type, c("differences", "roc"), "type")
  if (type == "roc") plot_two_rocs(object) else plot_differences(object)
}

plot_differences <- function(comparison) {
  differences <- comparison$differences
  differences <- differences[!is.na(differences$difference), ]
  label <- difference_label(differences)
  differences$label <- factor(label, rev(label))
  losses <- differences$metric %in% c("log_loss", "brier_score")
  sides <- c(
    "greater is better: right of 0 favours the first model",
    "smaller is better: left of 0 favours the first model"
  )
  differences$side <- factor(sides[1 + losses], sides)
  without <- is.na(differences$lower)
  models <- vapply(comparison$names, short_name, "")
  ggplot2::ggplot(differences, ggplot2::aes(x = .data$difference, y = .data$label)) +
    ggplot2::geom_vline(xintercept = 0, linetype = "dashed", colour = "grey50") +
    ggplot2::geom_linerange(
      ggplot2::aes(xmin = .data$lower, xmax = .data$upper), linewidth = 0.7, colour = plot_colour,
      na.rm = TRUE
    ) +
    ggplot2::geom_point(shape = ifelse(without, 1, 16), size = 2.2, colour = plot_colour) +
    ggplot2::facet_wrap(ggplot2::vars(.data$side), ncol = 1, scales = "free") +
    ggplot2::labs(
      title = paste(strwrap(paste(models[[1]], "minus", models[[2]]), 50), collapse = "\n"),
      subtitle = paste0(
        format_percent(comparison$conf_level), " intervals; n = ", format_matched(comparison),
        if (any(without)) "\nhollow: no interval"
      ),
      x = "Difference", y = NULL
    ) +
    plot_theme()
}

# A model's name has to share a line.
short_name <- function(name) {
  name <- shown(name)
  if (nchar(name) > 40) paste0(substr(name, 1, 37), "...") else name
}

plot_two_rocs <- function(comparison) {
  if (is.null(comparison$roc)) {
    check_two_classes(comparison$classes)
  }
  reasons <- vapply(comparison$roc, `[[`, "", "reason")
  undefined <- is.na(vapply(comparison$roc, `[[`, 0, "auc"))
  if (any(undefined)) {
    refuse_argument("A ROC curve needs both classes in the truth.", reasons[undefined][[1]])
  }
  key <- vapply(1:2, function(i) {
    roc <- comparison$roc[[i]]
    paste0(
      short_name(comparison$names[[i]]), "\nAUC ", format_estimate(roc$auc, roc$lower, roc$upper)
    )
  }, "")
  curves <- do.call(rbind, lapply(1:2, function(i) {
    data.frame(model = factor(key[[i]], key), comparison$roc[[i]]$curve)
  }))
  row <- comparison$differences[comparison$differences$metric == "roc_auc", ]
  ggplot2::ggplot(curves, ggplot2::aes(
    x = 1 - .data$specificity, y = .data$sensitivity, linetype = .data$model,
    colour = .data$model
  )) +
    ggplot2::geom_abline(linetype = "dotted", colour = "grey50") +
    ggplot2::geom_path(linewidth = 0.8) +
    ggplot2::scale_linetype_manual(NULL, values = c("solid", "22")) +
    ggplot2::scale_colour_manual(NULL, values = c(plot_colour, "grey45")) +
    ggplot2::coord_equal(xlim = c(0, 1), ylim = c(0, 1)) +
    ggplot2::labs(
      title = paste0("Two ROC curves, positive class '", shown(comparison$positive), "'"),
      subtitle = paste0(
        "AUC difference ", format_estimate(row$difference, row$lower, row$upper),
        of_test(row, comparison$conf_level), "n = ", format_matched(comparison)
      ),
      x = "1 - specificity (false positive rate)", y = "Sensitivity (true positive rate)"
    ) +
    plot_theme() +
    ggplot2::theme(legend.position = "bottom", legend.direction = "vertical")
}

of_test <- function(row, conf_level) {
  if (is.na(row$lower)) {
    return(paste0("\n", if (!is.na(row$reason)) paste0(row$reason, "\n")))
  }
  p <- sub("^([01])", "= \\1", format_p(row$p_value))
  paste0(" (", format_percent(conf_level), ", ", row$method, ")\np ", p, "; ")
}
