"""What all views share: the component, the export, and the tools that draw."""
