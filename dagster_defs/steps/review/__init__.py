"""Review by people: blinded sheets of questions and of judged answers, and what comes back from them."""
