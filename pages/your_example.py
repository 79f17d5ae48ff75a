"""Your own example."""
import streamlit as st

st.title("Your own example")
