export { messageSections, type Section } from './sections';
export { visible, visibleJson, visibleLine, visibleMembers } from './visible';
