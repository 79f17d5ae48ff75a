# The application as a container: docker build -t rcmviz . (docs/app.md says how it is run)
FROM python:3.12-slim

RUN useradd --create-home --uid 10001 rcmviz && install --directory --owner rcmviz /opt/rcmviz/cache
WORKDIR /opt/rcmviz
COPY pyproject.toml requirements.lock README.md LICENSE app.py ./
COPY .streamlit .streamlit
COPY rcmviz rcmviz
COPY pages pages
COPY models models
RUN pip install --no-cache-dir --require-hashes --no-deps --requirement requirements.lock \
  && pip install --no-cache-dir --no-deps --no-build-isolation .

# Kernels are compiled once, here, and not when a user waits for the first page. Any user may write to their folder,
# so that `docker run --user` and OpenShift find them too.
USER rcmviz
WORKDIR /home/rcmviz
ENV OMP_NUM_THREADS=1 PYTHONUNBUFFERED=1 XDG_CACHE_HOME=/opt/rcmviz/cache
RUN python -c "from rcmviz.core.builders import build; from rcmviz.views.word import trust; build.warm_up(); trust.warm_up()" \
  && python -c "from rcmviz.learn import trainer; trainer.warm_up()" \
  && python -c "from rcmviz.ars import decode; from rcmviz.jobs import alignments; decode.warm_up(); alignments.warm_up()" \
  && chmod --recursive a+rwX /opt/rcmviz/cache

EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=120s \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
ENTRYPOINT ["rcmviz", "app", "--host", "0.0.0.0", "--no-browser"]
