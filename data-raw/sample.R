# Makes inst/extdata/preds.csv and preds.json: 200 rows of a made-up test set
# of cats and dogs, with dogs at 40 % and overlapping normal scores.
# Run from the root of the repository: Rscript data-raw/sample.R

set.seed(1, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
n <- 200
truth <- ifelse(runif(n) < 0.4, "dog", "cat")
logit <- rnorm(n, mean = ifelse(truth == "dog", 1, -1), sd = 1.4)
dog <- round(stats::plogis(logit), 4)

sample <- data.frame(
  id = sprintf("img-%03d", seq_len(n)),
  true_label = truth,
  pred_prob_cat = round(1 - dog, 4),
  pred_prob_dog = dog
)

rside::write_predictions(
  rside::as_predictions(
    sample,
    classes = c("cat", "dog"), positive = "dog", threshold = 0.5
  ),
  "inst/extdata/preds.csv"
)
