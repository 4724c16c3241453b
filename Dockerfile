# One image for every role of the rollup: the first argument is the role, as in `docker run keelson execution --help`.
# The base is a Debian with glibc and Node.js 20.19 or newer, in both stages.
ARG NODE_IMAGE=docker.io/library/node:20.20.2-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /source
COPY . .
RUN npm ci --no-audit --no-fund --loglevel=error && node scripts/container/assemble.mjs /image

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="Keelson" \
      org.opencontainers.image.description="An OP Stack rollup node: execution, consensus, batcher, proposer, validator and services" \
      org.opencontainers.image.licenses="MIT"
# A numeric user satisfies orchestrators that refuse root without reading /etc/passwd.
RUN groupadd --gid 10001 keelson \
    && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin keelson \
    && mkdir --mode=700 /data /secrets /signed \
    && chown 10001:10001 /data /secrets /signed
# The program belongs to root, so that the role cannot change it.
COPY --from=build /image /app
RUN ln -s /app/dist/keelson.js /usr/local/bin/keelson
ENV NODE_ENV=production HOME=/data KEELSON_DATA_DIR=/data
USER 10001:10001
WORKDIR /data
VOLUME /data
# 8545 and 8546 JSON-RPC, 9222 gossip and discovery, 9545 rollup RPC, 6060 and 7300 metrics and health. Publishing is the operator's
# choice; the engine API (8551) and the admin ports stay between containers.
EXPOSE 6060 7300 8545 8546 9222/tcp 9222/udp 9545
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=120s --retries=3 CMD ["keelson", "healthcheck"]
# Node.js is process 1 and receives signals directly, without a shell or npm in between.
ENTRYPOINT ["node", "--enable-source-maps", "/app/dist/keelson.js"]
CMD ["help"]
