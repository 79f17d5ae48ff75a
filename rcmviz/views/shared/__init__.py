"""Parts shared by all views: components, exports, drawing tools."""
