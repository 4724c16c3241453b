/** `npm run build`. */
import { prepare } from './setup.mjs'

await prepare()
