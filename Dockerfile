# The host on the embedded default: SQLite files and the embedded queue in /data.
#   docker build -t v8-engine-host . && docker run -p 127.0.0.1:7070:7070 -v v8host-data:/data v8-engine-host
FROM node:26-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The image brings Node itself; the optional packages would add a second one. Nothing is compiled: the one native
# package carries its binaries.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

# The console's page: the packages that build it stay out of the image.
FROM node:26-bookworm-slim AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY scripts/build-console.js ./scripts/
COPY runtime-types ./runtime-types
COPY src ./src
RUN node scripts/build-console.js

FROM node:26-bookworm-slim
ENV NODE_ENV=production \
    V8HOST_DATA_DIR=/data \
    V8HOST_HTTP_BIND=0.0.0.0
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json ./
COPY bin ./bin
COPY src ./src
COPY --from=console /app/src/admin/console/dist ./src/admin/console/dist
COPY scripts-sample ./scripts-sample
COPY runtime-types ./runtime-types
# What `v8host init` copies.
COPY templates ./templates
RUN mkdir /data && chown node:node /data && ln -s /app/bin/v8host.js /usr/local/bin/v8host
USER node
VOLUME /data
EXPOSE 7070
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.V8HOST_HTTP_PORT || 7070}/livez`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Without the launcher of bin/: the host itself is process 1 and gets the signals of docker stop.
ENTRYPOINT ["node", "/app/src/main.ts"]
CMD ["start"]
