# The bins of the scores, and what lies in them.

bin_of <- function(score, weights, bins, binning) {
  if (binning == "quantile") {
    return(quantile_bins(score, weights, bins))
  }
  # The edges are divided, not added up: 3 / 10 is the score 0.3, 3 * 0.1 is not.
  1L + findInterval(score, seq_len(bins - 1) / bins, left.open = TRUE)
}

# The bin of a score follows from the weight that lies below it, so that equal scores share one.
quantile_bins <- function(score, weights, bins) {
  ranked <- ranking(score)
  above <- at_or_above(ranked, weights)
  below <- (total(above) - above) / total(above)
  # Rounding of a sum of weights must not move a score over an edge.
  to_rows(ranked, 1 + floor(bins * below + 1e-9))
}

# One row per bin that holds rows. `weights` may be 0, and `happened` a simulated truth.
sums_by_bin <- function(event, weights, happened = event$happened) {
  score <- event$score
  rowsum(
    cbind(
      weight = weights, score = weights * score, happened = weights * happened,
      squares = weights * score^2, products = weights * score * happened
    ),
    event$bin
  )
}

curve_rows <- function(event, weights, binning, bins, conf_level) {
  sums <- sums_by_bin(event, weights)
  squares <- rowsum(cbind(weights^2, weights^2 * event$happened), event$bin)
  bin <- as.numeric(rownames(sums))
  weight <- unname(sums[, "weight"])
  happened <- unname(sums[, "happened"])
  rows <- tabulate(event$bin)[bin]
  trials <- pmin(effective_trials(happened, weight, squares[, 2], squares[, 1]), rows)
  observed <- happened / weight
  ends <- proportion_interval("wilson", observed * trials, trials, conf_level)
  scores <- split(event$score, event$bin)
  by_width <- binning == "width"
  data.frame(
    bin = bin,
    from = if (by_width) (bin - 1) / bins else vapply(scores, min, 0),
    to = if (by_width) bin / bins else vapply(scores, max, 0),
    n = lengths(scores), share = weight / sum(weight), predicted = sums[, "score"] / weight,
    observed = observed, lower = ends$lower, upper = ends$upper
  )
}

empty_bins <- function(event, bins) data.frame(empty = bins - length(unique(event$bin)))

histogram_rows <- function(event) {
  cells <- 40
  cell <- 1 + findInterval(event$score, seq_len(cells - 1) / cells)
  n <- tabulate(cell, cells)
  filled <- which(n > 0)
  data.frame(from = (filled - 1) / cells, to = filled / cells, n = n[filled])
}
