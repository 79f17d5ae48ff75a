"""Language models: n-gram tables read, trained, repaired, stored and asked."""
