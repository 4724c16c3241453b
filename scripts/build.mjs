/** `npm run build`: installs and bundles when stale. */
import { prepare } from './setup.mjs'

await prepare()
