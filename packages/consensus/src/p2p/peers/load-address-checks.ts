/** Loads the network libraries only on demand. */
export const loadAddressChecks = () => import('./peer-address.ts')
