# Rangelight on Debian, with Debian's Chromium, as a user without rights. Build: docker build -t rangelight .
# Run: docker run --rm -p 127.0.0.1:8000:8000 --cap-drop ALL --security-opt no-new-privileges \
#        --security-opt seccomp=deploy/seccomp.json -e API_KEYS=... rangelight

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# The image has its Node: the one that npm would bring for checkouts stays away.
RUN npm ci --ignore-scripts
COPY build build
COPY src src
COPY tsconfig.json tsconfig.build.json ./
RUN node build/build.ts

FROM node:24-bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends chromium fonts-liberation fonts-noto-color-emoji tini \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force
COPY bin bin
COPY --from=build /app/dist dist
RUN useradd --system --uid 10001 --create-home rangelight && install -d -o rangelight -g rangelight /data
USER 10001
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8000 CHROME_PATH=/usr/bin/chromium DATA_DIR=/data
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Browsers leave processes that only an init collects.
ENTRYPOINT ["tini", "--", "node", "bin/rangelight.js"]
CMD ["serve"]
