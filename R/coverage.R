# How often 95 % intervals contained the truth in simulated tables: benchmarks/coverage.R. A report
# says so where they do it too rarely.

enough_coverage <- 0.93

simulated_coverage <- function() {
  utils::read.csv(system.file("extdata", "coverage.csv", package = "rside"))
}

# The simulated setting that is nearest in rows and in rows of the rarest class.
nearest_coverage <- function(rows, rarest) {
  simulated <- simulated_coverage()
  distance <- log(simulated$n / rows)^2 + log(simulated$n * simulated$prevalence / rarest)^2
  simulated[distance == min(distance), ]
}

# A table whose rarest class has this many rows is none of those whose intervals fail.
many_rows <- 150

coverage_notes <- function(predictions, metrics) {
  counts <- table(predictions$true_label)
  counts <- counts[counts > 0]
  rarest <- which.min(counts)
  if (length(counts) < 2 || counts[[rarest]] >= many_rows) {
    return(NULL)
  }
  near <- nearest_coverage(nrow(predictions), counts[[rarest]])
  reported <- near[near$study %in% c("report", "three_classes"), ]
  key <- function(rows) paste(rows$metric, rows$estimator)
  low <- reported[match(key(metrics), key(reported), 0), ]
  low <- low[low$coverage < enough_coverage, ]
  if (nrow(low) == 0) {
    return(NULL)
  }
  low <- low[order(low$coverage), ]
  share <- function(coverage) format_percent(round(coverage, 2))
  newcombe <- near[near$study == "auc" & near$method == auc_intervals[["newcombe"]], ]
  c(low_coverage = paste0(
    "Class '", names(rarest), "' has ", count_of(counts[[rarest]], "row"), ". In simulated tables ",
    "of about as many (", low$n[[1]], " rows, prevalence ", low$prevalence[[1]],
    "), 95% intervals held the truth in only ",
    paste0(share(low$coverage), " (", low$metric, " ", low$estimator, ")", collapse = ", "), ".",
    if ("roc_auc binary" %in% key(low)) {
      paste0(
        " Newcombe's interval of the AUC, auc_ci(interval = \"newcombe\"), held it in ",
        share(newcombe$coverage), "."
      )
    }
  ))
}
