# Jano alone: docker build -t jano:local . && docker run --init -p 127.0.0.1:8082:8082 jano:local
#
# Without a config it runs on its examples. For your own model servers mount a jano.yaml, and the swap script it names,
# at /etc/jano; the script has a shell and the usual Debian tools. What it starts has to be within reach of this
# container: for model servers of the machine itself, run Jano there.
FROM node:24-trixie-slim AS node
WORKDIR /app

FROM node AS packages
COPY package.json package-lock.json .npmrc ./
# The only script of its own would make sure of a fit Node, and that is what this image is.
RUN npm ci --omit=dev --ignore-scripts

FROM node
LABEL org.opencontainers.image.title="jano" \
  org.opencontainers.image.description="A router in front of local model servers: fewest swaps, streams untouched, honest numbers." \
  org.opencontainers.image.licenses="MIT"
COPY --from=packages /app/node_modules ./node_modules
# The TypeScript itself: Node runs it as it is.
COPY package.json LICENSE ./
COPY src ./src
# A container's loopback is nobody else's. Where it may be reached from, `docker run -p` says. The port is fixed, whatever
# a config says, so that the healthcheck knows it.
ENV NODE_ENV=production JANO_HOST=0.0.0.0 JANO_PORT=8082
EXPOSE 8082
USER node
# Jano finds a jano.yaml of /etc/jano by itself.
ENTRYPOINT ["node", "/app/src/main.ts"]
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --start-interval=1s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.JANO_PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
