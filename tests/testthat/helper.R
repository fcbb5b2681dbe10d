fixture <- function(name) test_path("..", "fixtures", "predictions", name)

cases <- function() jsonlite::read_json(fixture("cases.json"))

# A table of two classes from the scores of the second one.
binary <- function(truth, score, classes = c("neg", "pos"), ...) {
  table <- data.frame(true_label = truth, 1 - score, score, ..., stringsAsFactors = FALSE)
  names(table)[2:3] <- paste0("pred_prob_", classes)
  table
}

# A table in which the decisions are as given.
decided <- function(truth, prediction, classes) {
  probabilities <- outer(prediction, classes, "==") + 0
  table <- data.frame(true_label = truth, probabilities, stringsAsFactors = FALSE)
  names(table)[-1] <- paste0("pred_prob_", classes)
  as_predictions(table)
}

# Sixteenths: sums are exact, and there are many ties.
random_table <- function(seed, n = 60, k = 2) {
  set.seed(seed)
  probabilities <- t(rmultinom(n, 16, rep(1, k))) / 16
  classes <- letters[seq_len(k)]
  table <- data.frame(
    true_label = sample(c(classes, sample(classes, n - k, replace = TRUE))), probabilities,
    stringsAsFactors = FALSE
  )
  names(table)[-1] <- paste0("pred_prob_", classes)
  table
}

value <- function(report, metric, estimator = NULL, class = NULL, column = "estimate") {
  rows <- report$metrics
  rows <- rows[rows$metric == metric, ]
  if (!is.null(estimator)) rows <- rows[rows$estimator == estimator, ]
  if (!is.null(class)) rows <- rows[!is.na(rows$class) & rows$class == class, ]
  stopifnot(nrow(rows) == 1)
  rows[[column]]
}

# P(positive above negative) + P(equal) / 2, by counting every pair.
pair_auc <- function(positive, negative) {
  difference <- outer(positive, negative, "-")
  mean((difference > 0) + (difference == 0) / 2)
}

# DeLong et al. (1988), from the placements of every example.
delong_interval <- function(positive, negative, conf_level = 0.95) {
  wins <- outer(positive, negative, "-")
  wins <- (wins > 0) + (wins == 0) / 2
  variance <- var(rowMeans(wins)) / length(positive) + var(colMeans(wins)) / length(negative)
  mean(wins) + c(-1, 1) * qnorm((1 + conf_level) / 2) * sqrt(variance)
}

csv <- function(..., env = parent.frame()) {
  path <- tempfile(fileext = ".csv")
  writeBin(charToRaw(enc2utf8(paste0(c(...), "\n", collapse = ""))), path)
  path
}

# A plot that draws; ISO Latin 1 is what a PDF knows of names.
draws <- function(plot) {
  expect_s3_class(plot, "ggplot")
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file, encoding = "ISOLatin1.enc")
  on.exit(unlink(file))
  suppressWarnings(print(plot))
  grDevices::dev.off()
}
