export { markShown, readThread } from './thread-reader';
export { overlayOf, sayOverlay, trustOverlaySchema, userMustDecide } from './trust-overlay';
export { TrustSource } from './trust-source';
export { reasonToWithhold, Withheld } from './withheld';
