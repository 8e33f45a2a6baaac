# The MCP server, speaking on stdio: docker build -f docker/mcp-server.Dockerfile -t agentrelay/mcp-server .
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
LABEL org.opencontainers.image.title="AgentRelay MCP server" \
      org.opencontainers.image.description="Gives one developer's coding agent its tools to hand work to teammates." \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
# The key comes as AGENTRELAY_URL and AGENTRELAY_API_KEY, or as a config.json mounted here.
ENV NODE_ENV=production \
    AGENTRELAY_HOME=/agentrelay
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /build/dist/libs/protocol dist/libs/protocol
COPY --from=build /build/dist/libs/untrusted-text dist/libs/untrusted-text
COPY --from=build /build/dist/libs/relay-client dist/libs/relay-client
COPY --from=build /build/dist/libs/workstation dist/libs/workstation
COPY --from=build /build/dist/libs/version dist/libs/version
COPY --from=build /build/dist/apps/mcp-server dist/apps/mcp-server
COPY package.json LICENSE ./
USER 10001:10001
STOPSIGNAL SIGTERM
# It lives as long as its client keeps stdin open; there is nothing to ask it.
HEALTHCHECK NONE
CMD ["node", "dist/apps/mcp-server/src/main.js"]
