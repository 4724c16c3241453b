import assert from 'node:assert/strict'

const MAX_IMAGE_BYTES = 350e6
const CONTENTS = ['LICENSE', 'config', 'dist', 'node_modules', 'package.json', 'packages']

export async function checkImage(engine, image, check) {
  await check('the image is smaller than 350 MB', async () => {
    const { sizeBytes } = await engine.describe(image)
    console.log(`      ${(sizeBytes / 1e6).toFixed(0)} MB`)
    assert.ok(sizeBytes > 0 && sizeBytes < MAX_IMAGE_BYTES, `it has ${sizeBytes} bytes`)
  })
  await check('the image names its user, its volume, its health check and the program as process 1', async () => {
    const { config } = await engine.describe(image)
    assert.equal(config.User, '10001:10001')
    assert.deepEqual(Object.keys(config.Volumes), ['/data'])
    assert.deepEqual(config.Healthcheck.Test, ['CMD', 'keelson', 'healthcheck'])
    assert.deepEqual(config.Entrypoint, ['node', '--enable-source-maps', '/app/dist/keelson.js'])
  })
  await check('a role does not run as root and cannot change the program', async () => {
    assert.equal(await engine.shell(image, 'id -u'), '10001')
    assert.equal(await engine.shell(image, 'touch /app/dist/x 2>/dev/null || echo refused'), 'refused')
    assert.match(await engine.shell(image, 'keelson --version'), /^\d+\.\d+\.\d+$/)
  })
  await check('the image holds the program, and no other file of the source folder', async () => {
    assert.deepEqual((await engine.shell(image, 'ls -A /app')).split('\n').sort(), CONTENTS)
    assert.equal(
      await engine.shell(image, 'find /app /data /secrets /signed -name "*.hex" -o -name password -o -name ".env*" -o -name ".git"'),
      '',
    )
  })
}
