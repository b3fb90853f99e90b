# Rangelight on Debian, with Debian's headless Chromium, as a user without rights. Build: docker build -t rangelight .
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
# The image has its browser, too: the one in the npm package would never start.
RUN npm prune --omit=dev --ignore-scripts && find node_modules -type d -empty -delete \
 && rm -r node_modules/@sparticuz/chromium/bin

FROM node:24-bookworm-slim AS system
# Headless Chromium draws without a graphics driver: Mesa, LLVM and the files of a browser with windows are never loaded.
RUN printf 'path-exclude=%s\n' '/usr/lib/*/libLLVM*' '/usr/lib/*/libz3*' '/usr/lib/*/dri/*' '/usr/lib/*/libicu*' \
      '/usr/lib/chromium/libVk*' '/usr/lib/chromium/resources.pak' '/usr/lib/chromium/chrome_*.pak' \
      '/usr/lib/chromium/locales/*' '/usr/share/doc/*' '/usr/share/locale/*' '/usr/share/icons/*' \
      > /etc/dpkg/dpkg.cfg.d/unused \
 && echo 'path-include=/usr/share/doc/*/copyright' >> /etc/dpkg/dpkg.cfg.d/unused
RUN apt-get update \
 && apt-get install -y --no-install-recommends chromium-headless-shell fonts-liberation fonts-noto-color-emoji tini \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt /usr/local/include /usr/local/lib/node_modules /usr/local/bin/np[mx] /opt/* \
      /usr/share/man /usr/share/locale
WORKDIR /app
COPY package.json ./
COPY bin bin
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
RUN useradd --system --uid 10001 --create-home rangelight && install -d -o rangelight -g rangelight /data

# One layer: what was removed takes no space.
FROM scratch
COPY --from=system / /
WORKDIR /app
USER 10001
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8000 CHROME_PATH=/usr/lib/chromium/chromium-headless-shell DATA_DIR=/data
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Browsers leave processes that only an init collects.
ENTRYPOINT ["tini", "--", "node", "bin/rangelight.js"]
CMD ["serve"]
