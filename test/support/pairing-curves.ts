/** The native pairing curves of the node, opened once. */
import { createPairingCurves } from '../../packages/node/src/crypto/pairing-curves.ts'

export const pairingCurves = await createPairingCurves()
