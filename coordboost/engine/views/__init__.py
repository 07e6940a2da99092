"""Views: what the loop steps on. The data themselves, correlations that move by Gram columns, or a few candidates with a proof."""
