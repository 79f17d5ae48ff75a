"""Home."""
import streamlit as st

st.title("Reified context models, seen")
