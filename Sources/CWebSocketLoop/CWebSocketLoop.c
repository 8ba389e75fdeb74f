#include "CWebSocketLoop.h"
