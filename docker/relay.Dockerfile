# The relay, and its migration program: docker build -f docker/relay.Dockerfile -t agentrelay/relay .
# `npm run test:image` performs these steps without an engine.

FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=optional --ignore-scripts --loglevel=error
COPY tsconfig.json tsconfig.build.json nest-cli.json ./
COPY apps apps
COPY libs libs
RUN npx --no-install nest build && find dist -name '*.map' -delete

# Optional dependencies are the PostgreSQL of development: never in an image.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts --loglevel=error

FROM node:24-bookworm-slim
ARG VERSION=unversioned
ARG REVISION=unknown
LABEL org.opencontainers.image.title="AgentRelay relay" \
      org.opencontainers.image.description="Stores the handoffs of one team's coding agents and decides who may do what." \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    RELAY_METRICS_PORT=9464
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /build/dist/libs/protocol dist/libs/protocol
COPY --from=build /build/dist/libs/version dist/libs/version
COPY --from=build /build/dist/apps/relay dist/apps/relay
COPY packages packages
COPY package.json LICENSE ./
# A number, so that Kubernetes can see that it is not root. Nothing in the image belongs to it.
USER 10001:10001
EXPOSE 8080 9464
STOPSIGNAL SIGTERM
# For compose; Kubernetes has probes of its own.
HEALTHCHECK --interval=10s --timeout=6s --retries=6 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/apps/relay/src/main.js"]
