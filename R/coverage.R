# How often 95 % intervals contained the truth in simulated tables: benchmarks/coverage.R. A report
# says so where they do it too rarely.

enough_coverage <- 0.93

simulated_coverage <- function() {
  utils::read.csv(system.file("extdata", "coverage.csv", package = "rside"))
}

# The simulated setting that is nearest in rows and in rows of the rarest class.
nearest_coverage <- function(rows, rarest) {
  simulated <- simulated_coverage()
  simulated <- simulated[simulated$study %in% c("report", "three_classes"), ]
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
  key <- function(rows) paste(rows$metric, rows$estimator)
  near <- near[match(key(metrics), key(near), 0), ]
  near <- near[near$coverage < enough_coverage, ]
  if (nrow(near) == 0) {
    return(NULL)
  }
  near <- near[order(near$coverage), ]
  of <- paste0(format_percent(round(near$coverage, 2)), " (", near$metric, " ", near$estimator, ")")
  c(low_coverage = paste0(
    "Class '", names(rarest), "' has ", count_of(counts[[rarest]], "row"), ". In simulated tables ",
    "of about as many (", near$n[[1]], " rows, prevalence ", near$prevalence[[1]],
    "), 95% intervals held the truth in only ", paste(of, collapse = ", "), "."
  ))
}
