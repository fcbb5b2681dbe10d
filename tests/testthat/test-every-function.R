# Random tables, odd ones among them, through every function: none fails, and what is undefined or
# has no interval says why.

odd_table <- function(seed) {
  set.seed(seed)
  k <- sample(c(2, 2, 3, 5), 1)
  n <- sample(c(1, 2, 3, 5, 20, 60), 1)
  classes <- letters[seq_len(k)]
  probabilities <- switch(sample(5, 1),
    t(rmultinom(n, 8, rep(1, k))) / 8,
    prop.table(matrix(rexp(n * k), n), 1),
    diag(k)[sample(k, n, replace = TRUE), , drop = FALSE],
    matrix(1 / k, n, k),
    prop.table(exp(matrix(rnorm(n * k, sd = 40), n)), 1)
  )
  table <- data.frame(true_label = sample(sample(classes, sample(k, 1)), n, TRUE), probabilities)
  names(table)[-1] <- paste0("pred_prob_", classes)
  table$weight <- switch(sample(6, 1),
    rexp(n) + 0.01, sample(0:2, n, TRUE) + c(1, rep(0, n - 1)), 10^runif(n, -6, 6)
  )
  if (runif(1) < 0.3) table$pred_label <- sample(classes, n, replace = TRUE)
  table$group <- sample(c("x", "y", "", NA), n, replace = TRUE)
  as_predictions(table)
}

of_any <- list(
  validate = validate, confusion = confusion,
  wilson = function(p) confusion(p, interval = "wilson"),
  multiclass_auc = multiclass_auc,
  multiclass_bootstrap = function(p) multiclass_auc(p, interval = "bootstrap", replicates = 10),
  calibration = function(p) calibration(p, replicates = 10),
  comparison = function(p) {
    turned <- p
    scores <- paste0("pred_prob_", facts(p)$classes)
    turned[scores] <- p[rev(scores)]
    compare_models(p, turned)
  },
  slices = function(p) slices(p, "group", minimum = 2)
)

of_two <- list(
  prevalence = function(p) confusion(p, prevalence = 0.1),
  roc = function(p) roc_curve(p, interval = "logit"),
  auc = function(p) auc_ci(p, interval = "bootstrap", replicates = 10),
  pr = function(p) pr_curve(p, replicates = 10),
  partial = function(p) partial_auc(p, replicates = 10),
  band = function(p) roc_band(p, replicates = 10),
  points = function(p) {
    operating_points(
      p, sensitivity = 0.9, specificity = 0.9, cost_ratio = 3, threshold = 0.3, replicates = 10
    )
  }
)

numbers_of <- function(x) {
  for (field in c("metrics", "values", "differences", "overall")) {
    if (is.data.frame(x[[field]])) {
      rows <- x[[field]]
      rows$estimate <- if (is.null(rows$difference)) rows$estimate else rows$difference
      return(rows)
    }
  }
}

for (seed in 1:20) {
  test_that(paste("every function takes any table, seed", seed), {
    p <- odd_table(seed)
    functions <- c(of_any, if (length(facts(p)$classes) == 2) of_two)
    for (name in names(functions)) {
      x <- functions[[name]](p)
      expect_type(format(x), "character")
      expect_s3_class(tidy(x), "data.frame")
      expect_identical(nrow(glance(x)), 1L)
      expect_s3_class(as.data.frame(x), "data.frame")
      rows <- numbers_of(x)
      if (is.null(rows)) next
      expect_false(any(is.nan(rows$estimate)), info = name)
      expect_false(any(is.na(rows$lower) & is.na(rows$reason)), info = name)
      expect_true(all(rows$lower <= rows$upper, na.rm = TRUE), info = name)
    }
  })
}
