# How often 95 % intervals contained the truth in simulated tables: benchmarks/coverage.R. A result
# says so where they do it too rarely.

enough_coverage <- 0.93

# A table whose rarest class has this many rows is none of those whose intervals fail.
many_rows <- 150

simulated_coverage <- function() {
  utils::read.csv(system.file("extdata", "coverage.csv", package = "rside"))
}

# The simulated setting that is nearest in rows and in rows of the rarest class.
nearest_coverage <- function(rows, rarest) {
  simulated <- simulated_coverage()
  distance <- log(simulated$n / rows)^2 + log(simulated$n * simulated$prevalence / rarest)^2
  simulated[distance == min(distance), ]
}

class_counts_of <- function(predictions) {
  counts <- table(predictions$true_label)
  stats::setNames(as.integer(counts), names(counts))
}

# What must be known of intervals of `metrics` in a table of these rows per class, or NULL.
# `labels` are what the numbers are called in the text; `studies` simulated their intervals, by a
# method whose name begins so.
low_coverage_note <- function(counts, metrics, estimators, studies, labels = metrics,
                              method = "") {
  counts <- counts[counts > 0]
  rarest <- which.min(counts)
  if (length(counts) < 2 || counts[[rarest]] >= many_rows) {
    return(NULL)
  }
  near <- nearest_coverage(sum(counts), counts[[rarest]])
  simulated <- near[near$study %in% studies & startsWith(near$method, method), ]
  at <- match(paste(metrics, estimators), paste(simulated$metric, simulated$estimator))
  coverage <- simulated$coverage[at]
  low <- which(coverage < enough_coverage)
  if (length(low) == 0) {
    return(NULL)
  }
  low <- low[order(coverage[low])]
  share <- function(coverage) format_percent(round(coverage, 2))
  newcombe <- near[near$study == "auc" & near$method == auc_intervals[["newcombe"]], ]
  c(low_coverage = paste0(
    "Class '", names(rarest), "' has ", count_of(counts[[rarest]], "row"), ". In simulated tables ",
    "of about as many (", near$n[[1]], " rows, prevalence ", near$prevalence[[1]],
    "), 95% intervals held the truth in only ",
    paste0(share(coverage[low]), " (", labels[low], ")", collapse = ", "), ".",
    if (any(metrics[low] == "roc_auc" & estimators[low] == "binary")) {
      paste0(
        " Newcombe's interval of the AUC, auc_ci(interval = \"newcombe\"), held it in ",
        share(newcombe$coverage), "."
      )
    }
  ))
}

coverage_notes <- function(predictions, metrics) {
  labels <- paste(metrics$metric, metrics$estimator)
  low_coverage_note(
    class_counts_of(predictions), metrics$metric, metrics$estimator, c("report", "three_classes"),
    labels
  )
}

# Of one AUC, by the method of its interval.
auc_coverage_note <- function(counts, method) {
  if (!method %in% auc_intervals[c("delong", "logit", "bootstrap")]) {
    return(NULL)
  }
  study <- if (method == auc_intervals[["delong"]]) "report" else "auc"
  note <- low_coverage_note(counts, "roc_auc", "binary", study, method, method)
  if (!is.null(note)) unname(note)
}
