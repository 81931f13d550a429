"""The pictures of the pages that take results of the benchmarks, data of others, or minutes."""
