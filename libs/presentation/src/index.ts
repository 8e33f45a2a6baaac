export { isInvisible } from './invisible';
export { messageSections, type Section } from './sections';
export { visible, visibleJson, visibleLine } from './visible';
