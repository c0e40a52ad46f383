"""How often changes between versions are found, named rightly, and stated without a cause."""
