"""Where statements are looked for: instances that can be drawn, made of floats or of Fractions, and written down."""
