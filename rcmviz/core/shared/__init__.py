"""What every part checks, reads, writes and says alike: values, files, arrays, logs and numbers in sentences."""
